import {
  connectionTriggerUrlSchema,
  createConnectionSchema,
  hashConnectorToken,
  newConnectorToken,
} from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { sees } from "../../auth/caller.ts"
import { newId } from "../../newIds.ts"
import { checkAddress } from "../checkAddress.ts"
import { isUniqueViolation } from "../databaseErrors.ts"
import { defineRoute } from "../defineRoute.ts"
import { idTaken, siteNotAllowed } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { auditedSource, connectionResponse } from "./connectionResponse.ts"
import { findConnection } from "./findConnection.ts"
import { rejectDelegate } from "./rejectDelegate.ts"
import { triggerUrl } from "./triggerUrl.ts"

export const createConnection = defineRoute({
  method: "post",
  path: "/v1/connections",
  operation: "createConnection",
  summary: "Create a connection",
  allow: ["operate", "site"],
  description:
    "The response contains the trigger URL. Its token is a secret: share it with the partner only. The runner `delegate` needs the scope `operate`.",
  body: createConnectionSchema,
  success: {
    status: 201,
    description: "The connection with its trigger URL.",
    schema: connectionTriggerUrlSchema,
  },
  otherResponses: { 409: "The id is taken." },
  async handle({ prisma, sql, sealingKeys, addressPolicy, executorPolicy, gatewayOrigin }, { body, caller }) {
    if (!sees(caller.sites, body.site)) return siteNotAllowed(body.site)
    const rejected = rejectDelegate(caller, body.runner)
    if (rejected) return rejected
    const policy = body.runner === "delegate" ? executorPolicy : addressPolicy
    const source = checkAddress("source", body.source, policy)
    if (source.kind === "problem") return source
    const id = body.id ?? newId("con")
    const token = newConnectorToken()
    const tokenSha256 = new Uint8Array(hashConnectorToken(token))
    const tokenSealed = new Uint8Array(seal(sealingKeys, sealContexts.connectionToken(id), token))
    const { site, runner } = body
    try {
      // The sync window is the row with the schedule of the connection's syncs. The scheduler updates
      // this row, and inserts it only if it is missing.
      await prisma.connection.create({
        data: { id, site, source: source.href, runner, tokenSha256, tokenSealed },
        select: { id: true },
      })
      await prisma.syncWindow.create({ data: { connectionId: id }, select: { connectionId: true } })
      const row = await findConnection(sql, id, caller)
      if (!row) throw new Error("a created connection does not exist")
      const trigger_url = triggerUrl({ id, site, token, origin: gatewayOrigin })
      const changes = changesOf({}, { site, source: auditedSource(source.href), runner })
      return ok(
        { ...connectionResponse(row), trigger_url },
        {
          headers: { location: `/v1/connections/${id}` },
          audit: { target: { kind: "connection", id }, changes },
        },
      )
    } catch (error) {
      if (isUniqueViolation(error)) return idTaken("connection", id)
      throw error
    }
  },
})
