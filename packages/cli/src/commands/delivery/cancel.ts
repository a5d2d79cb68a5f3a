import { cancelledDeliverySchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { deliveryArgument, wholeId } from "./shortId.ts"

export const cancelDelivery: CliCommand = {
  name: "cancel",
  description: "cancel a pending delivery: no further attempt starts, and it can be resent later",
  arguments: [deliveryArgument],
  options: [
    new Option("--reason <text>", "why you do this; stored in the audit log, so do not name a person"),
  ],
  examples: ['sitewire delivery cancel 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --reason "ticket 17"'],
  json: cancelledDeliverySchema,
  async run({ callApi, print }, [given]: [string], { reason }: { reason?: string }) {
    const id = await callApi((client) => wholeId(client, given))
    const cancelled = await callApi((client) => client.cancelDelivery({ id, body: { reason } }))
    print(
      cancelled,
      ({ may_still_arrive }) =>
        `The delivery is cancelled. What may still arrive: ${may_still_arrive} To send it after all: sitewire delivery resend ${id}`,
    )
  },
}
