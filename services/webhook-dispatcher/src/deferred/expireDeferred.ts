import type { Logger } from "@sitewire/runtime"
import { type CheckedChannel, type Expired, expiredAtOnce } from "./endExpired.ts"

/**
 * The channels are checked in turns, some at a time, so that thousands of open breakers cost no more than a few. Retry periods last
 * hours, so minutes of delay do not matter.
 */
const everyMs = 1_000
const channelsAtOnce = 20

export type ExpireParts = {
  openBreakers: () => { key: string }[]
  endExpired: (channels: CheckedChannel[]) => Promise<Expired[]>
  scanFrom: (channel: string) => number
  log: Logger
}

/**
 * Marks deferred deliveries as dead if their retry period ended while their channel's circuit breaker was open.
 */
export function expireDeferred(parts: ExpireParts): () => Promise<void> {
  const { openBreakers, endExpired, scanFrom, log } = parts
  let nextAt = 0
  /** Channels that are to be checked in this round. */
  let round: string[] = []
  let expiring: Promise<void> | null = null

  async function expire(): Promise<void> {
    const now = performance.now()
    if (now < nextAt) return
    const open = new Set(openBreakers().map(({ key }) => key))
    round = round.filter((channel) => open.has(channel))
    if (round.length === 0) round = [...open]
    if (round.length === 0) return
    nextAt = now + everyMs
    const checked = round.splice(0, channelsAtOnce)
    const expired = await endExpired(checked.map((channel) => ({ channel, from: scanFrom(channel) })))
    if (expired.length === 0) return
    // There may be more.
    if (expired.length >= expiredAtOnce) round.unshift(...checked)
    for (const { delivery, channel, correlation, died } of expired) {
      if (!died) continue
      log.warn(
        { delivery, channel, correlation },
        "delivery is dead: its retry period ended while its channel's circuit breaker was open",
      )
    }
    nextAt = now
  }

  return () => {
    expiring ??= expire().finally(() => {
      expiring = null
    })
    return expiring
  }
}
