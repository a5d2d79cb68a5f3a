import type { AttemptOutcome } from "./sendRequest.ts"

/** With fewer channels, an outage of ours cannot be told from one of theirs. */
const fewestChannels = 5
const unreachableShare = 0.9
/** Longer than a channel is left alone after a fault, so that all that wait for the network stay in view. */
const recentMs = 120_000

export type Network = {
  /** Returns true if the attempt failed because of our DNS or our way to the internet, and not because of the partner. */
  isOurFault: (channel: string, outcome: AttemptOutcome) => boolean
  isDown: () => boolean
}

/**
 * Tells an outage of our own network (DNS, NAT, firewall) from partners' outages: while nearly all channels that were attempted
 * lately cannot be reached, the fault is ours. `onState` is called at each change.
 */
export function watchNetwork({
  onState,
  now = () => performance.now(),
}: {
  onState: (isUp: boolean, why: string) => void
  now?: () => number
}): Network {
  /** By channel, the least recent first: its last attempt. */
  const last = new Map<string, { at: number; reached: boolean }>()
  let unreached = 0
  let isDown = false

  function forgetOld(): void {
    for (const [channel, { at, reached }] of last) {
      if (now() - at <= recentMs) return
      last.delete(channel)
      if (!reached) unreached -= 1
    }
  }

  function record(channel: string, reached: boolean): void {
    const before = last.get(channel)
    if (before && !before.reached) unreached -= 1
    if (!reached) unreached += 1
    // Deleted first, so that the order is that of the attempts.
    last.delete(channel)
    last.set(channel, { at: now(), reached })
    forgetOld()
    const down = last.size >= fewestChannels && unreached >= unreachableShare * last.size
    if (down === isDown) return
    isDown = down
    onState(
      !down,
      `${unreached} of the ${last.size} channels that were attempted within two minutes cannot be reached`,
    )
  }

  return {
    isOurFault(channel, outcome) {
      const reached = isReached(outcome)
      record(channel, reached)
      return isDown && !reached
    },
    isDown: () => isDown,
  }
}

/** The attempt had a connection. A reused one has no time of connecting, but that of a first byte, or a status. */
function isReached({ error, timing }: AttemptOutcome): boolean {
  if (error === "dns" || error === "connect") return false
  return error !== "timeout" || timing.connectMs !== undefined
}
