import type { DeferredChannel } from "./findDeferredChannels.ts"

/** A transaction that defers may have begun this long before it is committed. Those that take longer are found by the next poll. */
const slackMs = 2_000

/** The channels that have deferred deliveries, as far as this process knows: from polls, and from its own deferrals. */
export function createBacklogs(findDeferredChannels: () => Promise<DeferredChannel[]>) {
  let channels = new Set<string>()
  /** Channels with deferrals during a running poll or claim, whose result may not include them. */
  let addedMeanwhile = new Set<string>()
  /** When the oldest delivery that can be claimed was deferred, by the last poll or claim. */
  let oldest = new Map<string, number>()

  return {
    has: (channel: string): boolean => channels.has(channel),
    all: (): ReadonlySet<string> => channels,
    /**
     * Where a scan of the channel's deferred deliveries begins (Unix time in ms, by Postgres's clock). As long as an older
     * transaction is open, Postgres keeps the index entries of deliveries that do not wait any more, and a scan from the first one
     * would read all of them.
     */
    scanFrom: (channel: string): number => Math.max(0, (oldest.get(channel) ?? 0) - slackMs),
    add(channel: string): void {
      channels.add(channel)
      addedMeanwhile.add(channel)
    },
    /** Polls and claims follow each other: none begins while another one runs. */
    beginClaim(): void {
      addedMeanwhile = new Set()
    },
    claimed: (channel: string, deferredAt: Date): void => void oldest.set(channel, deferredAt.getTime()),
    /** The claim that ends has found no more deliveries of the channel. */
    drained(channel: string): void {
      if (!addedMeanwhile.has(channel)) channels.delete(channel)
    },
    /** Replaces what is known by what Postgres contains. If Postgres is unavailable, rejects and changes nothing. */
    async poll(): Promise<DeferredChannel[]> {
      addedMeanwhile = new Set()
      const found = await findDeferredChannels()
      channels = new Set([...found.map(({ channel }) => channel), ...addedMeanwhile])
      oldest = new Map(found.map(({ channel, oldestMs }) => [channel, oldestMs]))
      return found
    },
  }
}
