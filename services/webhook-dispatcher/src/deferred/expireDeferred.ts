import type { Logger } from "@sitewire/runtime"
import type { DispatcherMetrics } from "../metrics.ts"
import { type PublishDeadLetter, publishUnattempted } from "../outcome/publishDeadLetter.ts"
import type { ExpiredDelivery, OpenChannel } from "./claimExpired.ts"

/** Retry periods last hours, so a few seconds of delay do not matter. */
const everyMs = 5_000

/** How long the breaker of a channel, which opened at this time (`performance.now()`), counts as open. */
export type OpenForMs = (channel: string, openedAt: number) => number

export type ExpireParts = {
  openBreakers: () => { key: string; openedAt: number }[]
  claim: (breakers: OpenChannel[]) => Promise<ExpiredDelivery[]>
  publishDeadLetter: PublishDeadLetter
  markDead: (expired: ExpiredDelivery[]) => Promise<void>
  metrics: Pick<DispatcherMetrics, "dead">
  log: Logger
}

/**
 * Marks deferred deliveries as dead if their retry period ended while their channel's circuit breaker was
 * open. Dead letters are published before the rows are updated.
 */
export function expireDeferred(parts: ExpireParts): (openForMs: OpenForMs) => Promise<void> {
  const { openBreakers, claim, publishDeadLetter, markDead, metrics, log } = parts
  let nextAt = 0
  let expiring: Promise<void> | null = null

  async function expire(openForMs: OpenForMs): Promise<void> {
    const now = performance.now()
    const breakers = openBreakers()
    if (breakers.length === 0 || now < nextAt) return
    nextAt = now + everyMs
    const expired = await claim(
      breakers.map(({ key, openedAt }) => ({ channel: key, openForMs: openForMs(key, openedAt) })),
    )
    if (expired.length === 0) return
    // A delivery that was delivered before stays delivered when its resend expires.
    const dead = expired.filter(({ isPending }) => isPending)
    await publishUnattempted(publishDeadLetter, dead, "not-attempted")
    await markDead(expired)
    metrics.dead.inc(dead.length)
    for (const { id: delivery, channel, correlation } of dead) {
      log.warn(
        { delivery, channel, correlation },
        "delivery is dead: its retry period ended while its channel's circuit breaker was open",
      )
    }
    nextAt = now
  }

  return (openForMs) => {
    expiring ??= expire(openForMs).finally(() => {
      expiring = null
    })
    return expiring
  }
}
