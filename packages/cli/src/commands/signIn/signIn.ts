import { signInLinkSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { block } from "../../output/block.ts"

export const signIn: CliCommand = {
  name: "sign-in",
  description: "print a link that signs in to the web console once, with the rights of the API key",
  notes:
    "Whoever opens the link first is signed in, so do not share it. It is valid for 10 minutes. For somebody else, use a\n" +
    "key with that person's scopes.",
  examples: ["sitewire sign-in", "sitewire sign-in --profile production"],
  json: signInLinkSchema,
  async run({ callApi, print }) {
    const created = await callApi((client) => client.createSignInLink())
    print(created, (link, style) =>
      block(style, [
        ["link", link.url],
        ["expires", style.time(link.expires_at)],
      ]),
    )
  },
}
