import { resendsPerHour } from "@sitewire/contracts"
import { named } from "@sitewire/database"
import { cancel, resend } from "@sitewire/deliveries"
import { nameOf } from "../../auth/caller.ts"
import { deliveryResponse } from "../../deliveries/deliveryResponse.ts"
import { notFound, problem } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { newId } from "../../newIds.ts"
import { implement } from "../implement.ts"
import { findDelivery } from "./findDelivery.ts"

export const resendDelivery = implement(
  "resendDelivery",
  async ({ prisma, sql }, { params: { id }, body, caller }) => {
    const found = await findDelivery(prisma, id, caller)
    if (!found) return notFound("delivery", id)
    const reason = body?.reason ?? "not given"
    const job = newId("job")
    const [deferred] = await resend(sql, [id], job)
    if (deferred === undefined) {
      const channel = { id: found.channel_id }
      if ((await prisma.channel.count({ where: channel })) > 0) return problem("erased")
      return problem(
        "channel-deleted",
        `The delivery's channel "${channel.id}" was deleted, so there is no address to send it to.`,
      )
    }
    // Counted while the delivery is locked, so that requests at the same time cannot exceed the limit.
    const [full] = await sql<{ seconds: number }>(
      `select ceil(extract(epoch from created_at + interval '1 hour' - clock_timestamp()))::int as seconds from job
        where delivery_id = $1 and created_at > clock_timestamp() - interval '1 hour'
        order by created_at desc offset ${resendsPerHour - 1} limit 1`,
      [id],
    )
    if (full) {
      const retryAfterSeconds = Math.max(1, full.seconds)
      const detail = `The delivery was resent ${resendsPerHour} times in the last hour, which is the limit. Correct the receiver first, and try again in ${retryAfterSeconds} seconds. POST /v1/channels/{id}/test sends test deliveries meanwhile.`
      return { ...problem("too-many-resends", detail), retryAfterSeconds }
    }
    // In the transaction of the resend, so that both are committed together.
    await sql(
      ...named(
        `insert into job (id, kind, state, filter, delivery_id, reason, requested_by, position, counts, created_at, finished_at)
         values ($job, 'resend', 'done', jsonb_build_object('delivery', $id::text), $id::uuid, $reason, $requested_by, '{}',
                 '{"resent": 1}', now(), now())`,
        { job, id, reason, requested_by: nameOf(caller) },
      ),
    )
    const changes = changesOf(
      { ...found, ...found.waiting },
      {
        state: found.state === "dead" || found.state === "cancelled" ? "pending" : found.state,
        deferred_reason: "resend",
        reason,
      },
    )
    return ok({ delivery: id, job }, { audit: { target: { kind: "delivery", id }, changes } })
  },
)

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
        attempt_in_flight: cancelled.attemptDue ? ("possible" as const) : ("none" as const),
        may_still_arrive: cancelled.attemptDue
          ? `Attempt ${after.attempts + 1}, if it had begun: it ends within seconds, and the delivery then shows it.`
          : "Nothing: no attempt was due.",
      },
      { audit: { target: { kind: "delivery", id }, changes } },
    )
  },
)
