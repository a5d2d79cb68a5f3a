import { type Client, Failure } from "@sitewire/cli"
import type { Channel } from "@sitewire/contracts"
import type { PartnerClient } from "./partner/client.ts"

/** The channel that is there from the start, so that a first delivery needs one command. */
export const demoChannel = "demo"

/**
 * Makes the channel `demo` if it is missing, points it at the demo partner's present port, and sees to a secret that the
 * partner knows. Returns the secret; undefined where there is none because the channel is another receiver's.
 */
export async function makeDemoChannel(
  { client, partner }: { client: Client; partner: PartnerClient },
  kept: string | undefined,
): Promise<string | undefined> {
  const address = partner.notificationAddress(demoChannel)
  const known = await client.readChannel(demoChannel).catch(ignoreMissing)
  if (known && !isDemoPartner(known.address)) return kept
  if (known && known.address !== address) await client.changeChannel(demoChannel, { address })
  if (known && kept !== undefined) return kept
  const secret = known
    ? await replaceSecret(client, known)
    : (await client.createChannel({ id: demoChannel, address })).signing_secret
  await partner.tellSecret(demoChannel, secret)
  return secret
}

/**
 * A start that was killed before it wrote the secret down took it with it: the API tells a secret once. Killed in here,
 * the next start finds no secret again, and begins anew.
 */
async function replaceSecret(client: Client, { other_secret }: Channel): Promise<string> {
  if (other_secret) await client.retireSecret(demoChannel, { secret_id: other_secret.id })
  const { staged_secret } = await client.stageSecret(demoChannel)
  await client.activateSecret(demoChannel)
  await client.retireSecret(demoChannel)
  return staged_secret
}

function ignoreMissing(error: unknown): null {
  if (error instanceof Failure && error.problem?.status === 404) return null
  throw error
}

/** The demo partner's port may have changed; a channel that was pointed at another receiver stays as it is. */
function isDemoPartner(address: string): boolean {
  return new URL(address).pathname === `/notify/${demoChannel}`
}
