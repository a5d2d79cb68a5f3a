import { connectionAddressSchema, hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { notFound, ok } from "../response.ts"
import { isMissing } from "../databaseErrors.ts"
import { defineRoute } from "../defineRoute.ts"
import { triggerAddress } from "./triggerUrl.ts"
import { byId } from "../pathParameters.ts"
import { connectionAnswer, connectionColumns, windowColumns } from "./connectionResponse.ts"

export const replaceConnectionToken = defineRoute({
  method: "post",
  path: "/v1/connections/{id}/token",
  operation: "replaceConnectionToken",
  summary: "Replace a connection's token",
  description:
    "When this answers, the old address is dead. Where two replace it at once, the later answer may be of the token that lost; reading the address tells which holds.",
  params: byId,
  success: {
    status: 200,
    description: "The connection with its new trigger address.",
    schema: connectionAddressSchema,
  },
  async handle({ prisma, sealingKeys, gatewayOrigin }, { params: { id } }) {
    const token = newConnectorToken()
    try {
      // The gateway reads this row at every check, so nothing else has to be told or emptied.
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
      const address = triggerAddress({ id, site: row.site, token, origin: gatewayOrigin })
      return ok({ ...connectionAnswer(row, window), address })
    } catch (error) {
      if (isMissing(error)) return notFound("connection", id)
      throw error
    }
  },
})
