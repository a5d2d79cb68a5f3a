import { resendAcceptedSchema, resendDeliverySchema } from "@sitewire/contracts"
import { nameOf } from "../../auth/caller.ts"
import { resendOneDelivery, resendsPerHour } from "../../jobs/resend/resendOneDelivery.ts"
import { defineRoute } from "../defineRoute.ts"
import { deliveryIdParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { findDelivery } from "./findDelivery.ts"

export const resendDelivery = defineRoute({
  method: "post",
  path: "/v1/deliveries/{id}/resend",
  operation: "resendDelivery",
  summary: "Resend a delivery now",
  allow: { operate: "all", channel: "own" },
  otherResponses: {
    409: "The delivery has been erased, or its channel was deleted.",
    429: `The API key has sent too many requests, or the delivery was resent ${resendsPerHour} times in the last hour.`,
  },
  description:
    "Possible in every state but `erased`. The delivery is deferred, and sent as soon as its channel has capacity: the same id and bytes, to the channel's current address. If the attempt fails, a new retry period begins. Several requests before the attempt cause one attempt. Each counts towards the limit of an hour.",
  params: deliveryIdParameter,
  body: resendDeliverySchema,
  success: {
    status: 202,
    description: "The delivery is deferred for a resend.",
    schema: resendAcceptedSchema,
  },
  async handle({ prisma, sql }, { params: { id }, body, caller }) {
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
})
