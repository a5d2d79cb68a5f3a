import {
  connectionTriggerUrlSchema,
  createConnectionSchema,
  hashConnectorToken,
  newConnectorToken,
} from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { newId } from "../../newIds.ts"
import { checkAddress } from "../checkAddress.ts"
import { isUniqueViolation } from "../databaseErrors.ts"
import { defineRoute } from "../defineRoute.ts"
import { idTaken } from "../problems.ts"
import { ok } from "../response.ts"
import { connectionColumns, connectionResponse } from "./connectionResponse.ts"
import { triggerUrl } from "./triggerUrl.ts"

export const createConnection = defineRoute({
  method: "post",
  path: "/v1/connections",
  operation: "createConnection",
  summary: "Create a connection",
  description:
    "The response contains the trigger URL. Its token is a secret: share it with the partner only.",
  body: createConnectionSchema,
  success: {
    status: 201,
    description: "The connection with its trigger URL.",
    schema: connectionTriggerUrlSchema,
  },
  otherResponses: { 409: "The id is taken." },
  async handle({ prisma, sealingKeys, addressPolicy, executorPolicy, gatewayOrigin }, { body }) {
    const policy = body.runner === "delegate" ? executorPolicy : addressPolicy
    const source = checkAddress("source", body.source, policy)
    if (source.kind === "problem") return source
    const id = body.id ?? newId("con")
    const token = newConnectorToken()
    const tokenSha256 = new Uint8Array(hashConnectorToken(token))
    const tokenSealed = new Uint8Array(seal(sealingKeys, sealContexts.connectionToken(id), token))
    const { site, runner } = body
    try {
      // One transaction inserts the connection and its sync window, the row with the schedule of its syncs.
      // The scheduler only updates this row and never inserts one.
      const [row, window] = await prisma.$transaction([
        prisma.connection.create({
          data: { id, site, source: source.href, runner, tokenSha256, tokenSealed },
          select: connectionColumns,
        }),
        prisma.syncWindow.create({ data: { connectionId: id } }),
      ])
      const trigger_url = triggerUrl({ id, site, token, origin: gatewayOrigin })
      return ok({ ...connectionResponse(row, window), trigger_url }, { location: `/v1/connections/${id}` })
    } catch (error) {
      if (isUniqueViolation(error)) return idTaken("connection", id)
      throw error
    }
  },
})
