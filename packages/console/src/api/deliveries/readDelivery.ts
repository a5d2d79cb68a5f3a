import { deliveryWithAttemptsSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { deliveryIdParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { attemptResponse, deliveryResponse } from "./deliveryResponse.ts"
import { findDelivery } from "./findDelivery.ts"

export const readDelivery = defineRoute({
  method: "get",
  path: "/v1/deliveries/{id}",
  operation: "readDelivery",
  summary: "Read a delivery with its attempts",
  allow: ["read", "channel"],
  params: deliveryIdParameter,
  success: { status: 200, description: "The delivery.", schema: deliveryWithAttemptsSchema },
  async handle({ prisma }, { params: { id }, caller }) {
    const [row, attempts] = await Promise.all([
      findDelivery(prisma, id, caller),
      prisma.attempt.findMany({
        where: { deliveryId: id },
        orderBy: [{ number: "asc" }, { startedAt: "asc" }],
      }),
    ])
    if (!row) return notFound("delivery", id)
    return ok({ ...deliveryResponse(row), attempt_log: attempts.map(attemptResponse) })
  },
})
