import { resendAcceptedSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { readPause } from "./readPause.ts"
import { deliveryArgument, wholeId } from "./shortId.ts"

export const resendDelivery: CliCommand = {
  name: "resend",
  description: "send a delivery again now: same id, same bytes, signed with the active secret",
  arguments: [deliveryArgument],
  options: [new Option("--reason <text>", "why you do this; stored with the job, so do not name a person")],
  examples: ['sitewire delivery resend 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --reason "ticket 17"'],
  json: resendAcceptedSchema,
  async run({ callApi, print }, [given]: [string], { reason }: { reason?: string }) {
    const id = await callApi((client) => wholeId(client, given))
    // The channel is read before the resend, because a failed read afterwards would look like a failed
    // resend.
    const { channel } = await callApi((client) => client.readDelivery({ id }))
    const pausedAt = await callApi((client) => readPause(client, channel))
    const accepted = await callApi((client) => client.resendDelivery({ id, body: { reason } }))
    print(accepted, ({ delivery }) =>
      pausedAt === null
        ? "The delivery is sent as soon as its channel has capacity. " +
          `To see the result: sitewire delivery show ${delivery}`
        : `The delivery is deferred, because its channel is paused. To send it: sitewire channel resume ${channel}`,
    )
  },
}
