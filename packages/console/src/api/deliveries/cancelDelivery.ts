import { cancelDeliverySchema, cancelledDeliverySchema } from "@sitewire/contracts"
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
  allow: ["operate"],
  description:
    "No further attempt starts. An attempt that is in flight is not interrupted: `attempt_in_flight` says whether there may be one. If the partner accepts it, the delivery becomes `delivered`; otherwise it stays `cancelled`. A cancelled delivery can be resent.",
  params: deliveryIdParameter,
  body: cancelDeliverySchema,
  otherResponses: { 409: "The delivery is not pending." },
  success: { status: 200, description: "The cancelled delivery.", schema: cancelledDeliverySchema },
  async handle({ prisma, sql }, { params: { id }, body, caller }) {
    const found = await findDelivery(prisma, id, caller)
    if (!found) return notFound("delivery", id)
    const [cancelled] = await sql<{ attempt_due: boolean }>(statement, [id])
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
        attempt_in_flight: cancelled.attempt_due ? "possible" : "none",
        may_still_arrive: cancelled.attempt_due
          ? `Attempt ${after.attempts + 1}, if it had begun: it ends within seconds, and the delivery then shows it.`
          : "Nothing: no attempt was due.",
      },
      { audit: { target: { kind: "delivery", id }, changes } },
    )
  },
})

// An attempt may be in flight if its row does not show that it waits: for its time, or without a lease for a
// dispatcher to claim it. `lease_expires_at` stays, so that a resend does not start before an attempt in flight has
// ended. An attempt of a delivery that was deferred for a resend may have begun before the resend.
const statement = `
with before as (
  select id, case when deferred_at is not null
                  then lease_expires_at is not null or deferred_reason = 'resend'
                  else next_attempt_at is null or next_attempt_at <= now() + interval '1 second' end as attempt_due
    from delivery where id = $1 and state = 'pending' for update
)
update delivery
   set state = 'cancelled', finished_at = now(), next_attempt_at = null, deferred_at = null, deferred_reason = null,
       failures = null, period_started_at = null
  from before
 where delivery.id = before.id
returning attempt_due`
