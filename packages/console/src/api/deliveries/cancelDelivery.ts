import { cancelDeliverySchema, cancelledDeliverySchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { insertEnded } from "@sitewire/deliveries"
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

/** Null: the delivery is not pending. `sql` runs within a transaction. The order of the locks is that of `waiting_delivery`. */
async function cancel(sql: Sql, id: string): Promise<{ attemptDue: boolean } | null> {
  const [waiting] = await sql<{ attempt_due: boolean }>(
    `select ${attemptDue} as attempt_due from waiting_delivery where delivery_id = $1 for update`,
    [id],
  )
  const cancelled = await sql(
    `with cancelled as (
       update delivery set state = 'cancelled', finished_at = now() where id = $1 and state = 'pending' returning *
     ), ${insertEnded(`
       select id, event_id, channel_id, state, attempts, null, null, null, correlation, null from cancelled`)}
     select from cancelled`,
    [id],
  )
  if (cancelled.length === 0) return null
  await sql("delete from waiting_delivery where delivery_id = $1", [id])
  return { attemptDue: waiting?.attempt_due ?? true }
}

// An attempt may be in flight if its row does not show that it waits: for its time, or without a lease for a dispatcher to
// claim it. An attempt of a delivery that was deferred for a resend may have begun before the resend.
const attemptDue = `case when deferred_at is not null then lease_expires_at is not null or deferred_reason = 'resend'
       else next_attempt_at <= now() + interval '1 second' end`
