import { cancelDeliverySchema, cancelledDeliverySchema } from "@sitewire/contracts"
import { cancel } from "@sitewire/deliveries"
import { defineRoute } from "../defineRoute.ts"
import { deliveryIdParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { deliveryResponse } from "./deliveryResponse.ts"
import { findDelivery } from "./findDelivery.ts"

export const cancelDelivery = defineRoute({
  method: "post",
  path: "/v1/deliveries/{id}/cancel",
  operation: "cancelDelivery",
  summary: "Cancel a pending delivery",
  allow: { operate: "all" },
  description:
    "No further attempt starts. An attempt that is in flight is not interrupted: `attempt_in_flight` says whether there may be one. If the partner accepts it, the delivery becomes `delivered`; otherwise it stays `cancelled`. A cancelled delivery can be resent.",
  params: deliveryIdParameter,
  body: cancelDeliverySchema,
  otherResponses: { 409: "The delivery is not pending." },
  success: { status: 200, description: "The cancelled delivery.", schema: cancelledDeliverySchema },
  async handle({ prisma, sql }, { params: { id }, body, caller }) {
    const found = await findDelivery(prisma, id, caller)
    if (!found) return notFound("delivery", id)
    const cancelled = await cancel(sql, id)
    const after = await findDelivery(prisma, id, caller)
    if (!after) return notFound("delivery", id)
    if (!cancelled) {
      return problem(
        "not-pending",
        `The delivery is ${after.state}, so it cannot be cancelled. Only a pending delivery can.`,
      )
    }
    const changes = changesOf(
      { state: "pending" },
      { state: after.state, reason: body?.reason ?? "not given" },
    )
    return ok(
      {
        delivery: deliveryResponse(after),
        attempt_in_flight: cancelled.attemptDue ? "possible" : "none",
        may_still_arrive: cancelled.attemptDue
          ? `Attempt ${after.attempts + 1}, if it had begun: it ends within seconds, and the delivery then shows it.`
          : "Nothing: no attempt was due.",
      },
      { audit: { target: { kind: "delivery", id }, changes } },
    )
  },
})
