import { sealContexts } from "@sitewire/database"
import { changeSource } from "@sitewire/syncs"
import { removeScope } from "../../auth/keyScopes.ts"
import { notFound } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { checkAddress, checkHeadersOrigin, requestHeaderColumns } from "../checkAddress.ts"
import { checkIfMatch } from "../etag.ts"
import { implement } from "../implement.ts"
import {
  connectionEtag,
  connectionResponse,
  findConnection,
  lockConnection,
  rejectDelegate,
} from "./connectionResponse.ts"
import { recordRequestedSync } from "./requestSync.ts"

export const changeConnection = implement(
  "changeConnection",
  async (
    { prisma, sql, sealingKeys, partnersPolicy, executorPolicy },
    { params: { id }, body, headers, caller },
  ) => {
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
)

export const deleteConnection = implement("deleteConnection", async ({ sql }, { params: { id }, caller }) => {
  const row = await lockConnection(sql, id, caller)
  if (!row) return notFound("connection", id)
  // A database trigger deletes the window, the syncs and the snapshot.
  await sql("delete from connection where id = $1", [id])
  const keys = await removeScope(sql, `connection:${id}`)
  const { site, source, runner } = row
  const changes = Object.fromEntries(
    Object.entries({ site, source, runner }).map(([field, old]) => [field, { old, new: null }]),
  )
  return ok(connectionResponse(row, caller), {
    audit: { target: { kind: "connection", id }, changes, also: keys.map(({ audit }) => audit) },
  })
})
