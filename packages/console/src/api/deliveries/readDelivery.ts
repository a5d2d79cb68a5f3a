import { deliveryWithAttemptsSchema } from "@sitewire/contracts"
import { notFound, ok } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"
import { byDeliveryId } from "../pathParameters.ts"
import { attemptAnswer, deliveryAnswer, deliveryColumns } from "./deliveryResponse.ts"

export const readDelivery = defineRoute({
  method: "get",
  path: "/v1/deliveries/{id}",
  operation: "readDelivery",
  summary: "Read a delivery with its attempts",
  params: byDeliveryId,
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
    return ok({ ...deliveryAnswer(row), attempt_log: attempts.map(attemptAnswer) })
  },
})
