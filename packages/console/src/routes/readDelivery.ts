import { deliveryWithAttemptsSchema } from "@sitewire/contracts"
import { notFound, ok } from "../answer.ts"
import { defineRoute } from "../route.ts"
import { byDeliveryId } from "./byId.ts"
import { attemptAnswer, deliveryAnswer, deliveryColumns } from "./deliveryAnswer.ts"

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
