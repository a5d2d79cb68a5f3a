import type { Command } from "commander"
import { examples } from "../examples.ts"
import type { Setup } from "../program.ts"

export function addDeliveryResend(parent: Command, { open }: Setup): void {
  parent
    .command("resend")
    .description("send a delivery again now: same id, same bytes, signed with the active secret")
    .argument("<delivery>", "the delivery's id")
    .addHelpText("after", examples("sitewire delivery resend 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b"))
    .action(async (id: string, _options: object, command: Command) => {
      const { ask, show } = open(command)
      show(
        await ask((client) => client.resendDelivery(id)),
        ({ delivery, attempt }) =>
          `Attempt ${attempt} is on its way. See what becomes of it: sitewire delivery show ${delivery}`,
      )
    })
}
