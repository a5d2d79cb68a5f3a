import { deliveryWithAttemptsSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { deliveryIdParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { attemptResponse, deliveryColumns, deliveryResponse } from "./deliveryResponse.ts"

export const readDelivery = defineRoute({
  method: "get",
  path: "/v1/deliveries/{id}",
  operation: "readDelivery",
  summary: "Read a delivery with its attempts",
  params: deliveryIdParameter,
  success: { status: 200, description: "The delivery.", schema: deliveryWithAttemptsSchema },
  async handle({ prisma }, { params: { id } }) {
    const [row, attempts] = await Promise.all([
      prisma.delivery.findUnique({ where: { id }, select: deliveryColumns }),
      prisma.attempt.findMany({
        where: { deliveryId: id },
        orderBy: [{ number: "asc" }, { startedAt: "asc" }],
      }),
    ])
    if (!row) return notFound("delivery", id)
    return ok({ ...deliveryResponse(row), attempt_log: attempts.map(attemptResponse) })
  },
})
