import { type Client, Failure } from "@sitewire/cli"
import type { Channel } from "@sitewire/contracts"
import type { PartnerClient } from "./partner/client.ts"

/** `npm start` creates this channel, so that a first delivery needs only one command. */
export const demoChannel = "demo"

/**
 * Adds the channel `demo` if it is missing, and updates its address if the demo partner's port has changed. Returns
 * the channel's secret. `stored` is the secret that an earlier start stored; if it or the channel is missing, the
 * secret is new. If the channel has another receiver's address, or was deleted, nothing is changed, and `stored` is returned.
 */
export async function makeDemoChannel(
  { client, partner }: { client: Client; partner: PartnerClient },
  stored: string | undefined,
): Promise<string | undefined> {
  const address = partner.notificationAddress(demoChannel)
  const known = await client.readChannel({ id: demoChannel }).catch(ignore(404))
  if (known && !isDemoPartner(known.address)) return stored
  if (known && known.address !== address) await client.changeChannel({ id: demoChannel, body: { address } })
  if (known && stored !== undefined) return stored
  const secret = known ? await replaceSecret(client, known) : await create(client, address)
  if (secret === null) return stored
  await partner.setSecret(demoChannel, secret)
  return secret
}

/** Null: the channel was deleted, and its id is not used again. */
async function create(client: Client, address: string): Promise<string | null> {
  const created = await client.createChannel({ body: { id: demoChannel, address } }).catch(ignore(409))
  return created?.signing_secret ?? null
}

/**
 * Replaces a secret that nobody knows: an earlier start was killed before it stored the secret, and the API
 * returns a secret only once. Can be repeated.
 */
async function replaceSecret(client: Client, { other_secret }: Channel): Promise<string> {
  if (other_secret) await client.retireSecret({ id: demoChannel, secret_id: other_secret.id })
  const { staged_secret } = await client.stageSecret({ id: demoChannel })
  await client.activateSecret({ id: demoChannel })
  await client.retireSecret({ id: demoChannel })
  return staged_secret
}

function ignore(status: number) {
  return (error: unknown): null => {
    if (error instanceof Failure && error.problem?.status === status) return null
    throw error
  }
}

/** Compares only the path, because the demo partner's port may have changed. */
function isDemoPartner(address: string): boolean {
  return new URL(address).pathname === `/notify/${demoChannel}`
}
