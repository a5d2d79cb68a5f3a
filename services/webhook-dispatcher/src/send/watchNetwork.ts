import type { AttemptOutcome } from "./sendRequest.ts"

/** With fewer channels, an outage of ours cannot be told from one of theirs. */
const fewestChannels = 5
const unreachableShare = 0.9
/** Longer than a channel is left alone after a fault, so that those that wait for the network still count. */
const recentMs = 120_000
/** A channel that was unreachable for longer before the outage does not count. */
const newlyFailingMs = 600_000

/**
 * Tells an outage of our own network (DNS, NAT, firewall) from partners' outages: the fault is ours if nearly all channels that were
 * attempted lately, and could be reached until now, can no longer be.
 */
export function watchNetwork({
  onState,
  now = () => performance.now(),
}: {
  onState: (isUp: boolean, why: string) => void
  now?: () => number
}) {
  /** For each channel that was ever reached: since when it has not been. */
  const unreachableSince = new Map<string, number | null>()
  /** The last attempts of channels that count, the least recent first. */
  const recent = new Map<string, { at: number; reached: boolean }>()
  let unreached = 0
  let downSince: number | null = null

  function forget(channel: string): void {
    if (recent.get(channel)?.reached === false) unreached -= 1
    recent.delete(channel)
  }

  function forgetOld(): void {
    for (const [channel, { at }] of recent) {
      if (now() - at <= recentMs) return
      forget(channel)
    }
  }

  function counts(channel: string, reached: boolean): boolean {
    if (reached) {
      unreachableSince.set(channel, null)
      return true
    }
    const since = unreachableSince.get(channel)
    if (since === undefined) return false
    if (since === null) unreachableSince.set(channel, now())
    return (since ?? now()) >= (downSince ?? now()) - newlyFailingMs
  }

  function record(channel: string, reached: boolean): void {
    // Deleted first, so that the order is that of the attempts.
    forget(channel)
    if (counts(channel, reached)) {
      recent.set(channel, { at: now(), reached })
      if (!reached) unreached += 1
    }
    forgetOld()
    const isDown = recent.size >= fewestChannels && unreached >= unreachableShare * recent.size
    if (isDown === (downSince !== null)) return
    downSince = isDown ? now() : null
    onState(
      !isDown,
      `${unreached} of the ${recent.size} channels that were attempted within two minutes can no longer be reached`,
    )
  }

  return {
    /** Returns true if the attempt failed because of our DNS or our way to the internet, and not because of the partner. */
    isOurFault(channel: string, outcome: AttemptOutcome): boolean {
      const reached = isReached(outcome)
      record(channel, reached)
      return downSince !== null && !reached
    },
    isDown: () => downSince !== null,
  }
}

/** The attempt had a connection. A reused one has no time of connecting, but that of a first byte, or a status. */
function isReached({ error, connect_ms }: AttemptOutcome): boolean {
  if (error === "dns" || error === "connect") return false
  return error !== "timeout" || connect_ms !== null
}
