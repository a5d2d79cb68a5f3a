import { cancelledDeliverySchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"

export const cancelDelivery: CliCommand = {
  name: "cancel",
  description: "cancel a pending delivery: no further attempt starts, and it can be resent later",
  arguments: [["<delivery>", "the delivery's id"]],
  options: [
    new Option("--reason <text>", "why you do this; stored in the audit log, so do not name a person"),
  ],
  examples: ['sitewire delivery cancel 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --reason "ticket 17"'],
  json: cancelledDeliverySchema,
  async run({ callApi, print }, [id]: [string], { reason }: { reason?: string }) {
    const cancelled = await callApi((client) => client.cancelDelivery(id, { reason }))
    print(
      cancelled,
      ({ may_still_arrive }) =>
        `The delivery is cancelled. What may still arrive: ${may_still_arrive} To send it after all: sitewire delivery resend ${id}`,
    )
  },
}
