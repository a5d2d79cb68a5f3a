import { resendAcceptedSchema, resendDeliverySchema } from "@sitewire/contracts"
import { notFound, ok, problem } from "../response.ts"
import { resendOne } from "../../jobs/resend/resendOneDelivery.ts"
import { defineRoute } from "../defineRoute.ts"
import { byDeliveryId } from "../pathParameters.ts"

export const resendDelivery = defineRoute({
  method: "post",
  path: "/v1/deliveries/{id}/resend",
  operation: "resendDelivery",
  summary: "Send a delivery again now",
  others: { 409: "The delivery was erased." },
  description:
    "In any state but `erased`. The delivery is deferred and sent as soon as its channel has capacity: the same id and bytes, to the channel's address of then; failures begin a new retry period. Asking again before it is sent sends it once.",
  params: byDeliveryId,
  body: resendDeliverySchema,
  success: { status: 202, description: "The delivery will be sent again.", schema: resendAcceptedSchema },
  async handle({ sql }, { params: { id }, body, caller }) {
    const reason = body?.reason ?? "not given"
    const resent = await resendOne(sql, { delivery: id, reason, requestedBy: caller })
    if (resent.kind === "unknown") return notFound("delivery", id)
    if (resent.kind === "erased") {
      return problem(409, "The delivery's body was erased on request: there is nothing left to send.")
    }
    return ok({ delivery: id, job: resent.job })
  },
})
