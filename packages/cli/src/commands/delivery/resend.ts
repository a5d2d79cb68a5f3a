import type { Command } from "commander"
import { examples } from "../../examples.ts"
import type { Setup } from "../../program.ts"

export function addDeliveryResend(parent: Command, { open }: Setup): void {
  parent
    .command("resend")
    .description("send a delivery again now: same id, same bytes, signed with the active secret")
    .argument("<delivery>", "the delivery's id")
    .option("--reason <text>", "why, for whoever reads the jobs later; name no person")
    .addHelpText(
      "after",
      examples('sitewire delivery resend 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b --reason "ticket 17"'),
    )
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const { ask, show } = open(command)
      // Before it: once the resend is promised, nothing else may fail.
      const { channel } = await ask((client) => client.readDelivery(id))
      const { paused_at } = await ask((client) => client.readChannel(channel))
      const accepted = await ask((client) => client.resendDelivery(id, { reason }))
      show(accepted, ({ delivery }) =>
        paused_at === null
          ? `It is sent as soon as its channel has capacity. See what becomes of it: sitewire delivery show ${delivery}`
          : `It is deferred: its channel is paused. It is sent after: sitewire channel resume ${channel}`,
      )
    })
}
