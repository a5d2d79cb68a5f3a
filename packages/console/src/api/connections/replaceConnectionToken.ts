import { connectionTriggerUrlSchema, hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { connectionResponse } from "./connectionResponse.ts"
import { lockConnection } from "./findConnection.ts"
import { triggerUrl } from "./triggerUrl.ts"

export const replaceConnectionToken = defineRoute({
  method: "post",
  path: "/v1/connections/{id}/token",
  operation: "replaceConnectionToken",
  summary: "Replace a connection's token",
  allow: { operate: "all", site: "own" },
  shownOnce: "GET /v1/connections/{id}/trigger-url shows the trigger URL.",
  description:
    "When the response arrives, the old trigger URL no longer works. If two requests replace the token at the same time, only one token is valid: read the trigger URL to get it.",
  params: idParameter,
  success: {
    status: 200,
    description: "The connection with its new trigger URL.",
    schema: connectionTriggerUrlSchema,
  },
  async handle({ prisma, sql, sealingKeys, gatewayOrigin }, { params: { id }, caller }) {
    const before = await lockConnection(sql, id, caller)
    if (!before) return notFound("connection", id)
    const token = newConnectorToken()
    const replaced = { token_replaced_at: new Date() }
    // The gateway reads this row for every trigger, so there is no cache to clear.
    await prisma.connection.update({
      where: { id },
      data: {
        token_sha256: new Uint8Array(hashConnectorToken(token)),
        token_sealed: new Uint8Array(seal(sealingKeys, sealContexts.connectionToken(id), token)),
        ...replaced,
      },
      select: { id: true },
    })
    const trigger_url = triggerUrl({ id, site: before.site, token, origin: gatewayOrigin })
    return ok(
      { ...connectionResponse({ ...before, ...replaced }, caller), trigger_url },
      { audit: { target: { kind: "connection", id }, changes: changesOf(before, replaced) } },
    )
  },
})
