import { sealContexts, unseal } from "@sitewire/database"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { connectionResponse } from "./connectionResponse.ts"
import { findConnection } from "./findConnection.ts"
import { triggerUrl } from "./triggerUrl.ts"

/** The trigger URL is a separate resource, so that the audit log shows who read its secret token. */
export const readConnectionTriggerUrl = implement(
  "readConnectionTriggerUrl",
  async ({ prisma, sql, sealingKeys, gatewayOrigin }, { params: { id }, caller }) => {
    const row = await findConnection(sql, id, caller)
    const secret = await prisma.connection.findUnique({ where: { id }, select: { token_sealed: true } })
    if (!row || !secret) return notFound("connection", id)
    const token = unseal(sealingKeys, sealContexts.connectionToken(id), secret.token_sealed)
    const trigger_url = triggerUrl({ id, site: row.site, token, origin: gatewayOrigin })
    return ok(
      { ...connectionResponse(row, caller), trigger_url },
      { audit: { target: { kind: "connection", id } } },
    )
  },
)
