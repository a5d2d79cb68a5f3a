import { resendsPerHour } from "@sitewire/contracts"
import { nameOf } from "../../auth/caller.ts"
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
