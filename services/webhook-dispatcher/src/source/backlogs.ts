import type { DeferralReason } from "@sitewire/contracts"
import type { DeferredChannel } from "@sitewire/deliveries"
import { createWakeTimer } from "@sitewire/runtime"

/** A transaction that defers may have begun this long before its commit. The next poll finds those that take longer. */
const slackMs = 2_000
/** A claim waits this long after a permit is released, so that it can use several. */
const claimDelayMs = 2
/** For how long a channel is left to other processes after a fault: this one cannot send, for example without a sealing key. */
const backOffMs = 30_000
/** New deferrals of a channel with a maximum rate cause no more claims than this, because most of them would get nothing. */
const rateClaimIntervalMs = 100

/** The channels of which this process knows deferred deliveries, and which of them the next claim asks for. */
export function createBacklogs(stopping: AbortSignal) {
  let channels = new Set<string>()
  /** Channels with deferrals during a running poll or claim, whose result may not include them. */
  let addedMeanwhile = new Set<string>()
  /** When the oldest delivery that can be claimed was deferred, by the last poll or claim. */
  let oldest = new Map<string, number>()
  const backOffs = createFutureTimes()
  const rateClaims = createFutureTimes()
  const toClaim = new Set<string>()
  /** Channels that wait, because all channels of their kind together have no more permits. */
  const turns = { slow: new Set<string>(), unknown: new Set<string>() }
  const { wakeWithin, sleep } = createWakeTimer(stopping)
  const wake = (): void => wakeWithin(claimDelayMs)

  function add(channel: string): void {
    channels.add(channel)
    addedMeanwhile.add(channel)
  }

  function claimSoon(channel: string): void {
    add(channel)
    toClaim.add(channel)
    wake()
  }

  return {
    toClaim,
    turns,
    wake,
    claimSoon,
    sleep,
    all: (): ReadonlySet<string> => channels,
    isClaimable: (channel: string): boolean => channels.has(channel) && !backOffs.isSet(channel),
    queueReason(channel: string): "busy" | "fault" | null {
      if (!channels.has(channel)) return null
      return backOffs.isSet(channel) ? "fault" : "busy"
    },
    onDeferred(channel: string, reason: DeferralReason): void {
      if (reason === "rate" && rateClaims.isSet(channel)) {
        // The channel was claimed just now, and the next poll suffices.
        add(channel)
        return
      }
      if (reason === "rate") rateClaims.set(channel, performance.now() + rateClaimIntervalMs)
      claimSoon(channel)
    },
    onCapacity(channel: string): void {
      if (channels.has(channel)) toClaim.add(channel)
      else if (turns.slow.size + turns.unknown.size === 0) return
      wake()
    },
    backOff: (channel: string): void => backOffs.set(channel, performance.now() + backOffMs),
    /**
     * Where a scan of the channel's deferred deliveries begins (Unix time in ms, by Postgres's clock). As long as an older
     * transaction is open, Postgres keeps the index entries of deliveries that do not wait any more, and a scan from the first one
     * would read all of them.
     */
    scanFrom: (channel: string): number => Math.max(0, (oldest.get(channel) ?? 0) - slackMs),
    /** Polls and claims follow each other: none begins while another one runs. */
    beginRead(): void {
      addedMeanwhile = new Set()
    },
    replace(found: readonly DeferredChannel[]): void {
      channels = new Set([...found.map(({ channel }) => channel), ...addedMeanwhile])
      oldest = new Map(found.map(({ channel, oldestMs }) => [channel, oldestMs]))
    },
    claimed: (channel: string, deferredAt: Date): void => void oldest.set(channel, deferredAt.getTime()),
    /** The claim that ends has found no more deliveries of the channel. */
    drained(channel: string): void {
      if (!addedMeanwhile.has(channel)) channels.delete(channel)
    },
  }
}

export type Backlogs = ReturnType<typeof createBacklogs>

/** A time (`performance.now()`) for each key. One that has passed counts as none. */
export function createFutureTimes() {
  const times = new Map<string, number>()
  /** Passed times are removed when their number may have doubled, so that a `set` costs the same on average. */
  let removeAbove = 16

  return {
    isSet: (key: string): boolean => (times.get(key) ?? 0) > performance.now(),
    nowOrLater: (key: string): number => Math.max(performance.now(), times.get(key) ?? 0),
    set(key: string, at: number): void {
      times.set(key, at)
      if (times.size <= removeAbove) return
      const now = performance.now()
      for (const [other, time] of times) if (time <= now) times.delete(other)
      removeAbove = Math.max(16, 2 * times.size)
    },
  }
}
