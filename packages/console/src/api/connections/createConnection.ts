import {
  connectionAddressSchema,
  createConnectionSchema,
  hashConnectorToken,
  newConnectorToken,
} from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { ok, taken } from "../response.ts"
import { isTaken } from "../databaseErrors.ts"
import { newId } from "../../newIds.ts"
import { defineRoute } from "../defineRoute.ts"
import { triggerAddress } from "./triggerUrl.ts"
import { vetField } from "../checkAddress.ts"
import { connectionAnswer, connectionColumns } from "./connectionResponse.ts"

export const createConnection = defineRoute({
  method: "post",
  path: "/v1/connections",
  operation: "createConnection",
  summary: "Make a connection",
  description: "The answer holds the trigger address. Its token is a secret: give it to the partner only.",
  body: createConnectionSchema,
  success: {
    status: 201,
    description: "The connection with its trigger address.",
    schema: connectionAddressSchema,
  },
  others: { 409: "The id is taken." },
  async handle({ prisma, sealingKeys, addressPolicy, executorPolicy, gatewayOrigin }, { body }) {
    const policy = body.runner === "delegate" ? executorPolicy : addressPolicy
    const source = vetField("source", body.source, policy)
    if (source.kind === "problem") return source
    const id = body.id ?? newId("con")
    const token = newConnectorToken()
    const tokenSha256 = new Uint8Array(hashConnectorToken(token))
    const tokenSealed = new Uint8Array(seal(sealingKeys, sealContexts.connectionToken(id), token))
    const { site, runner } = body
    try {
      // Together or not at all: the scheduler raises a trigger in the window's row and makes none.
      const [row, window] = await prisma.$transaction([
        prisma.connection.create({
          data: { id, site, source: source.href, runner, tokenSha256, tokenSealed },
          select: connectionColumns,
        }),
        prisma.syncWindow.create({ data: { connectionId: id } }),
      ])
      const address = triggerAddress({ id, site, token, origin: gatewayOrigin })
      return ok({ ...connectionAnswer(row, window), address }, { location: `/v1/connections/${id}` })
    } catch (error) {
      if (isTaken(error)) return taken("connection", id)
      throw error
    }
  },
})
