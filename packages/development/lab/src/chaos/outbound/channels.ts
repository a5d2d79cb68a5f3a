import type { Random } from "../random.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"

export const channelSecret = "a secret of the chaos run"

const channels = 200

type Behaviour = "healthy" | "flaky" | "hanging" | "recovering"

function behaviourOf(channel: number): Behaviour {
  if (channel < 6) return "hanging"
  if (channel < 12) return "recovering"
  return channel < 36 ? "flaky" : "healthy"
}

/**
 * The recovering channels (6 to 11) get a fifth of all events, enough to open their circuit breakers while
 * they fail.
 */
export function pickChannel(random: Random): string {
  return channelId(random.next() < 0.2 ? random.between(6, 11) : random.between(0, channels - 1))
}

const channelId = (channel: number) => `channel-${channel}`

export async function addChannels(
  { addChannel }: Pick<ChaosInstallation, "addChannel">,
  origins: Record<string, string>,
): Promise<void> {
  for (let at = 0; at < channels; at++) {
    const id = channelId(at)
    const kind = behaviourOf(at)
    await addChannel({ id, address: `${origins[kind]}/${kind}/${id}`, secret: channelSecret })
  }
}
