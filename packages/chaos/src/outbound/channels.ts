import { readSealingKeys, seal, sealContexts } from "@sitewire/database"
import type { Random } from "../random.ts"
import type { Installation } from "../startChaosInstallation.ts"

/** Of all channels: every partner verifies with it. */
export const channelSecret = "a secret of the chaos run"

const channels = 200

type Behaviour = "healthy" | "flaky" | "hanging" | "recovering"

/** 6 hang until all is healed, 6 fail for seconds and recover, 24 fail at random, 164 are healthy. */
function behaviourOf(channel: number): Behaviour {
  if (channel < 6) return "hanging"
  if (channel < 12) return "recovering"
  return channel < 36 ? "flaky" : "healthy"
}

/** Those that recover get a fifth of all events: so many come while one fails that its breaker opens. */
export function pickChannel(random: Random): string {
  return channelId(random.next() < 0.2 ? random.between(6, 11) : random.between(0, channels - 1))
}

const channelId = (channel: number) => `channel-${channel}`

/** `origins` has the partners' address for each behaviour. */
export async function addChannels(
  { sql, sealingKeys }: Pick<Installation, "sql" | "sealingKeys">,
  origins: Record<string, string>,
): Promise<void> {
  const keys = readSealingKeys(sealingKeys)
  for (let at = 0; at < channels; at++) {
    const id = channelId(at)
    const kind = behaviourOf(at)
    const sealed = seal(keys, sealContexts.signingSecret(id, `sec_${id}`), channelSecret)
    await sql(
      "insert into channel (id, address, secret_id, secret_sealed, updated_at) values ($1, $2, $3, $4, now())",
      [id, `${origins[kind]}/${kind}/${id}`, `sec_${id}`, sealed],
    )
  }
}
