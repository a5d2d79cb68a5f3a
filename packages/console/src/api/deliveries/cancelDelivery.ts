import { cancel } from "@sitewire/deliveries"
import { deliveryResponse } from "../../deliveries/deliveryResponse.ts"
import { notFound, problem } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { findDelivery } from "./findDelivery.ts"

export const cancelDelivery = implement(
  "cancelDelivery",
  async ({ prisma, sql }, { params: { id }, body, caller }) => {
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
)
