import { type Checked, type CheckedChannel, expiredAtOnce } from "@sitewire/deliveries"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"

/** Channels take turns, so that thousands of open breakers cost no more than a few. A delay of minutes does not matter. */
const everyMs = 1_000
const channelsAtOnce = 20

export type ExpireParts = {
  openBreakers: () => { key: string }[]
  endExpired: (channels: CheckedChannel[]) => Promise<Checked>
  scanFrom: (channel: string) => number
  log: Logger
}

/** Marks deferred deliveries as dead whose retry period ended while their channel's circuit breaker was open. */
export function expireDeferred(parts: ExpireParts): () => Promise<void> {
  const { openBreakers, endExpired, scanFrom, log } = parts
  let nextAt = 0
  let round: string[] = []
  /** Its oldest deferrals are not enough: a delivery that was attempted and deferred again is behind them, and has used more of its period. */
  const continueFrom = new Map<string, number>()

  function advance(channel: string, from: number, next: number | undefined): void {
    if (next === undefined) continueFrom.delete(channel)
    // A page may have one time only: `makeDue` defers as many deliveries at once as a page has.
    else continueFrom.set(channel, Math.max(next, from + 1))
  }

  async function expire(): Promise<void> {
    const now = performance.now()
    if (now < nextAt) return
    const open = new Set(openBreakers().map(({ key }) => key))
    round = round.filter((channel) => open.has(channel))
    for (const channel of continueFrom.keys()) if (!open.has(channel)) continueFrom.delete(channel)
    if (round.length === 0) round = [...open]
    if (round.length === 0) return
    nextAt = now + everyMs
    const checked = round.splice(0, channelsAtOnce)
    const fromOf = (channel: string) => continueFrom.get(channel) ?? scanFrom(channel)
    const { expired, next } = await endExpired(checked.map((channel) => ({ channel, from: fromOf(channel) })))
    // There may be more among those that were read.
    if (expired.length >= expiredAtOnce) round.unshift(...checked)
    else for (const channel of checked) advance(channel, fromOf(channel), next.get(channel))
    if (expired.length === 0) return
    for (const { delivery, channel, correlation, died } of expired) {
      if (!died) continue
      log.warn(
        { delivery, channel, correlation },
        "delivery is dead: its retry period ended while its channel's circuit breaker was open",
      )
    }
    nextAt = now
  }

  return expire
}

const endedAtOnce = 500

/** Marks the deliveries of deleted channels as dead, except those with a lease: their attempts, which may be in flight, end first. */
export function startEndingDeleted(parts: {
  intervalMs: number
  endDeleted: (most: number) => Promise<{ channel: string; ended: number }[]>
  log: Logger
}): { close(): Promise<void> } {
  const { intervalMs, endDeleted, log } = parts
  return repeatUntilClosed({
    async step(signal) {
      for (let last = endedAtOnce; last >= endedAtOnce && !signal.aborted; ) {
        last = 0
        for (const { channel, ended } of await endDeleted(endedAtOnce)) {
          last += ended
          log.warn({ channel, ended }, "deliveries that waited are dead, because their channel was deleted")
        }
      }
    },
    intervalMs,
    failed: "deliveries of deleted channels could not be ended; it is repeated",
    log,
  })
}
