import { call } from "../../derive/call.ts"
import { deliveryArgument, wholeId } from "./shortId.ts"

export const cancelDelivery = call("delivery cancel", "cancelDelivery", {
  description: "cancel a pending delivery: no further attempt starts, and it can be resent later",
  argument: deliveryArgument,
  findId: wholeId,
  options: { reason: "why you do this; stored in the audit log, so do not name a person" },
  examples: ['sitewire delivery cancel 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --reason "ticket 17"'],
  print: ({ may_still_arrive, delivery: { id } }) =>
    `The delivery is cancelled. What may still arrive: ${may_still_arrive} To send it after all: sitewire delivery resend ${id}`,
})
