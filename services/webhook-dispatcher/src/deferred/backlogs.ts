import type { DeferredChannel } from "./findDeferredChannels.ts"

/** The channels that have deferred deliveries, as far as this process knows: from polls, and from its own deferrals. */
export function createBacklogs(findDeferredChannels: () => Promise<DeferredChannel[]>) {
  let channels = new Set<string>()
  /** Channels with deferrals during a running poll, whose result may not include them. */
  let addedDuringPoll = new Set<string>()

  return {
    has: (channel: string): boolean => channels.has(channel),
    all: (): ReadonlySet<string> => channels,
    add(channel: string): void {
      channels.add(channel)
      addedDuringPoll.add(channel)
    },
    remove: (channel: string): void => void channels.delete(channel),
    /** Replaces what is known by what Postgres contains. If Postgres is unavailable, rejects and changes nothing. */
    async poll(): Promise<DeferredChannel[]> {
      addedDuringPoll = new Set()
      const found = await findDeferredChannels()
      channels = new Set([...found.map(({ channel }) => channel), ...addedDuringPoll])
      return found
    },
  }
}
