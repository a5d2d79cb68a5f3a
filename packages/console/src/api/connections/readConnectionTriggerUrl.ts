import { connectionTriggerUrlSchema } from "@sitewire/contracts"
import { sealContexts, unseal } from "@sitewire/database"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { connectionResponse } from "./connectionResponse.ts"
import { findConnection } from "./findConnection.ts"
import { triggerUrl } from "./triggerUrl.ts"

/** The trigger URL is a separate resource, so that the audit log shows who read its secret token. */
export const readConnectionTriggerUrl = defineRoute({
  method: "get",
  path: "/v1/connections/{id}/trigger-url",
  operation: "readConnectionTriggerUrl",
  summary: "Read a connection's trigger URL",
  allow: { operate: "all", site: "own" },
  description: "The only GET response that contains the token, which is a secret.",
  reveals: true,
  params: idParameter,
  success: {
    status: 200,
    description: "The connection with its trigger URL.",
    schema: connectionTriggerUrlSchema,
  },
  async handle({ prisma, sql, sealingKeys, gatewayOrigin }, { params: { id }, caller }) {
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
})
