import { connectionTriggerUrlSchema, hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { connectionColumns, connectionResponse, windowColumns } from "./connectionResponse.ts"
import { findConnection } from "./findConnection.ts"
import { triggerUrl } from "./triggerUrl.ts"

export const replaceConnectionToken = defineRoute({
  method: "post",
  path: "/v1/connections/{id}/token",
  operation: "replaceConnectionToken",
  summary: "Replace a connection's token",
  allow: ["operate", "site"],
  description:
    "When the response arrives, the old trigger URL no longer works. If two requests replace the token at the same time, only one token is valid: read the trigger URL to get it.",
  params: idParameter,
  success: {
    status: 200,
    description: "The connection with its new trigger URL.",
    schema: connectionTriggerUrlSchema,
  },
  async handle({ prisma, sealingKeys, gatewayOrigin }, { params: { id }, caller }) {
    const found = await findConnection(prisma, id, caller)
    if (!found) return notFound("connection", id)
    const token = newConnectorToken()
    // The gateway reads this row for every trigger, so there is no cache to clear.
    const row = await prisma.connection.update({
      where: { id },
      data: {
        tokenSha256: new Uint8Array(hashConnectorToken(token)),
        tokenSealed: new Uint8Array(seal(sealingKeys, sealContexts.connectionToken(id), token)),
        tokenReplacedAt: new Date(),
      },
      select: connectionColumns,
    })
    const window = await prisma.syncWindow.findUnique({
      where: { connectionId: id },
      select: windowColumns,
    })
    const trigger_url = triggerUrl({ id, site: row.site, token, origin: gatewayOrigin })
    const changes = changesOf(
      { token_replaced_at: found.tokenReplacedAt },
      { token_replaced_at: row.tokenReplacedAt },
    )
    return ok(
      { ...connectionResponse(row, window), trigger_url },
      { audit: { target: { kind: "connection", id }, changes } },
    )
  },
})
