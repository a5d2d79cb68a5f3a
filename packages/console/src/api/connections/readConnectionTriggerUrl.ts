import { connectionTriggerUrlSchema } from "@sitewire/contracts"
import { sealContexts, unseal } from "@sitewire/database"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { connectionColumns, connectionResponse, windowColumns } from "./connectionResponse.ts"
import { visibleConnection } from "./findConnection.ts"
import { triggerUrl } from "./triggerUrl.ts"

/** The trigger URL is a separate resource, so that the audit log shows who read its secret token. */
export const readConnectionTriggerUrl = defineRoute({
  method: "get",
  path: "/v1/connections/{id}/trigger-url",
  operation: "readConnectionTriggerUrl",
  summary: "Read a connection's trigger URL",
  allow: ["operate", "site"],
  description: "The only GET response that contains the token, which is a secret.",
  reveals: true,
  params: idParameter,
  success: {
    status: 200,
    description: "The connection with its trigger URL.",
    schema: connectionTriggerUrlSchema,
  },
  async handle({ prisma, sealingKeys, gatewayOrigin }, { params: { id }, caller }) {
    const [row, window] = await Promise.all([
      prisma.connection.findFirst({
        where: visibleConnection(id, caller),
        select: { ...connectionColumns, tokenSealed: true },
      }),
      prisma.syncWindow.findUnique({ where: { connectionId: id }, select: windowColumns }),
    ])
    if (!row) return notFound("connection", id)
    const token = unseal(sealingKeys, sealContexts.connectionToken(id), row.tokenSealed)
    const trigger_url = triggerUrl({ id, site: row.site, token, origin: gatewayOrigin })
    return ok(
      { ...connectionResponse(row, window), trigger_url },
      { audit: { target: { kind: "connection", id } } },
    )
  },
})
