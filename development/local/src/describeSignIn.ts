import type { Client } from "@sitewire/cli"

/** The link signs in as an operator, so only a terminal shows it: no file to which the output goes may contain it. */
export async function describeSignIn(
  client: Pick<Client, "createSignInLink">,
  { isTerminal }: { isTerminal: boolean },
): Promise<string> {
  const command = "npm run --silent sitewire -- sign-in"
  // Without a link, everything else still works.
  const created = isTerminal ? await client.createSignInLink().catch(() => null) : null
  if (!created) return `${command}      prints a link that signs in`
  const { url } = created
  return `${url}\n  Valid once, for 10 minutes. Another: ${command}`
}
