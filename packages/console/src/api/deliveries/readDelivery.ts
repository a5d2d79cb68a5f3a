import { deliveryWithAttemptsSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { deliveryIdParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { attemptResponse, deliveryColumns, deliveryResponse } from "./deliveryResponse.ts"
import { visibleDelivery } from "./findDelivery.ts"
import { maskedBody } from "./maskEmails.ts"
import { withWaiting } from "./withWaiting.ts"

export const readDelivery = defineRoute({
  method: "get",
  path: "/v1/deliveries/{id}",
  operation: "readDelivery",
  summary: "Read a delivery with its attempts, and what was sent",
  description:
    "E-mail addresses in the body and in responses are masked. `GET /v1/deliveries/{id}/body` reveals those of the body.",
  allow: ["read", "channel"],
  params: deliveryIdParameter,
  success: { status: 200, description: "The delivery.", schema: deliveryWithAttemptsSchema },
  async handle({ prisma }, { params: { id }, caller }) {
    const where = await visibleDelivery(prisma, id, caller)
    const [found, attempts] = await Promise.all([
      prisma.delivery.findMany({ where, select: { ...deliveryColumns, body: true } }),
      prisma.attempt.findMany({
        where: { deliveryId: id },
        orderBy: [{ number: "asc" }, { startedAt: "asc" }],
      }),
    ])
    const [row] = await withWaiting(prisma, found)
    if (!row) return notFound("delivery", id)
    return ok({
      ...deliveryResponse(row),
      body: maskedBody(row.body),
      body_bytes: row.body.length,
      attempt_log: attempts.map(attemptResponse),
    })
  },
})
