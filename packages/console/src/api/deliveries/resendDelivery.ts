import { resendsPerHour } from "@sitewire/contracts"
import { cancel } from "@sitewire/deliveries"
import { nameOf } from "../../auth/caller.ts"
import { deliveryResponse } from "../../deliveries/deliveryResponse.ts"
import { notFound, problem } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { resendOneDelivery } from "../../jobs/resend/resendOneDelivery.ts"
import { implement } from "../implement.ts"
import { findDelivery } from "./findDelivery.ts"

export const resendDelivery = implement(
  "resendDelivery",
  async ({ prisma, sql }, { params: { id }, body, caller }) => {
    const found = await findDelivery(prisma, id, caller)
    if (!found) return notFound("delivery", id)
    const reason = body?.reason ?? "not given"
    const resent = await resendOneDelivery(sql, { delivery: id, reason, requested_by: nameOf(caller) })
    if (resent.kind === "unknown") return notFound("delivery", id)
    if (resent.kind === "erased") {
      return problem("erased", "The delivery has been erased on request, so there is nothing to send.")
    }
    if (resent.kind === "channel deleted") {
      return problem(
        "channel-deleted",
        `The delivery's channel "${found.channel_id}" was deleted, so there is no address to send it to.`,
      )
    }
    if (resent.kind === "too many") {
      const { retryAfterSeconds } = resent
      const detail = `The delivery was resent ${resendsPerHour} times in the last hour, which is the limit. Correct the receiver first, and try again in ${retryAfterSeconds} seconds. POST /v1/channels/{id}/test sends test deliveries meanwhile.`
      return { ...problem("too-many-resends", detail), retryAfterSeconds }
    }
    const changes = changesOf(
      { ...found, ...found.waiting },
      {
        state: found.state === "dead" || found.state === "cancelled" ? "pending" : found.state,
        deferred_reason: "resend",
        reason,
      },
    )
    return ok({ delivery: id, job: resent.job }, { audit: { target: { kind: "delivery", id }, changes } })
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
        attempt_in_flight: cancelled.attemptDue ? "possible" : "none",
        may_still_arrive: cancelled.attemptDue
          ? `Attempt ${after.attempts + 1}, if it had begun: it ends within seconds, and the delivery then shows it.`
          : "Nothing: no attempt was due.",
      },
      { audit: { target: { kind: "delivery", id }, changes } },
    )
  },
)
