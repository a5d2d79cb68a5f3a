import { connectionAddressSchema } from "@sitewire/contracts"
import { sealContexts, unseal } from "@sitewire/database"
import { notFound, ok } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"
import { triggerAddress } from "./triggerUrl.ts"
import { byId } from "../pathParameters.ts"
import { connectionAnswer, connectionColumns, windowColumns } from "./connectionResponse.ts"

/** A resource of its own, so that whoever wants the secret has to say so, and the access log shows who did. */
export const readConnectionAddress = defineRoute({
  method: "get",
  path: "/v1/connections/{id}/address",
  operation: "readConnectionAddress",
  summary: "Read a connection's trigger address",
  description:
    "The one reading answer that holds the token. It is kept sealed, for the site's owner to see in the console.",
  params: byId,
  success: {
    status: 200,
    description: "The connection with its trigger address.",
    schema: connectionAddressSchema,
  },
  async handle({ prisma, sealingKeys, gatewayOrigin }, { params: { id } }) {
    const [row, window] = await Promise.all([
      prisma.connection.findUnique({ where: { id }, select: { ...connectionColumns, tokenSealed: true } }),
      prisma.syncWindow.findUnique({ where: { connectionId: id }, select: windowColumns }),
    ])
    if (!row) return notFound("connection", id)
    const token = unseal(sealingKeys, sealContexts.connectionToken(id), row.tokenSealed)
    const address = triggerAddress({ id, site: row.site, token, origin: gatewayOrigin })
    return ok({ ...connectionAnswer(row, window), address })
  },
})
