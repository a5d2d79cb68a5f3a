import { changeConnectionSchema, connectionSchema } from "@sitewire/contracts"
import { sealContexts } from "@sitewire/database"
import { changeSource } from "@sitewire/syncs"
import { checkAddress } from "../checkAddress.ts"
import { defineRoute } from "../defineRoute.ts"
import { checkIfMatch } from "../etag.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { checkHeadersOrigin, requestHeaderColumns } from "../requestHeaders.ts"
import { changesOf, ok } from "../response.ts"
import { connectionEtag, connectionResponse } from "./connectionResponse.ts"
import { findConnection, lockConnection } from "./findConnection.ts"
import { recordRequestedSync } from "./recordRequestedSync.ts"
import { rejectDelegate } from "./rejectDelegate.ts"

export const changeConnection = defineRoute({
  method: "patch",
  path: "/v1/connections/{id}",
  operation: "changeConnection",
  summary: "Change a connection's source, runner or request headers",
  allow: { operate: "all", site: "own" },
  description:
    "Requests a sync, which fetches the new source, with the new request headers, in the next window. If a sync of the old source is running, its result is discarded. Until a sync of the new source has succeeded, the snapshot contains the content of the old one. The runner `delegate` needs the scope `operate`.",
  params: idParameter,
  body: changeConnectionSchema,
  otherResponses: {
    412: "The source, the runner or the request headers have changed since the version in If-Match.",
  },
  success: { status: 200, description: "The updated connection.", schema: connectionSchema },
  async handle(
    { prisma, sql, sealingKeys, partnersPolicy, executorPolicy },
    { params: { id }, body, headers, caller },
  ) {
    const before = await lockConnection(sql, id, caller)
    if (!before) return notFound("connection", id)
    const mismatch = checkIfMatch(headers["if-match"], connectionEtag(connectionResponse(before, caller)))
    if (mismatch) return mismatch
    const { source: givenSource = before.source, runner = before.runner, request_headers } = body
    const rejected = rejectDelegate(caller, before.runner, runner)
    if (rejected) return rejected
    // Checked even if only the runner changes, because a private address is allowed for executors only.
    const source = checkAddress(
      "source",
      givenSource,
      runner === "delegate" ? executorPolicy : partnersPolicy,
    )
    if (source.kind === "problem") return source
    const addresses = { from: before.source, to: source.href }
    const unsafe = checkHeadersOrigin(before.request_header_names, request_headers, addresses)
    if (unsafe) return unsafe
    const changes = changesOf(before, { source: source.href, runner })
    if (request_headers !== undefined) {
      const data = requestHeaderColumns(sealingKeys, sealContexts.sourceHeaders(id), request_headers)
      await prisma.connection.update({ where: { id }, data, select: { id: true } })
      const { request_headers_sealed: _, ...shown } = data
      Object.assign(changes, changesOf(before, shown))
    }
    if (Object.keys(changes).length > 0) {
      await changeSource(sql, { id, source: source.href, runner })
      await recordRequestedSync(sql, id)
    }
    const row = await findConnection(sql, id, caller)
    if (!row) return notFound("connection", id)
    const after = connectionResponse(row, caller)
    return ok(after, {
      headers: { etag: connectionEtag(after) },
      audit: { target: { kind: "connection", id }, changes },
    })
  },
})
