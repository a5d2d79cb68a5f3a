import { type Logger, repeatUntilClosed } from "@sitewire/runtime"

const batch = 500

export type EndingParts = {
  intervalMs: number
  findDeletedChannels: () => Promise<string[]>
  endDeliveries: (channel: string, settings: { batch: number }) => Promise<number>
  log: Logger
}

/** Marks the deliveries of deleted channels as dead, except those with a lease: their attempts, which may be in flight, end first. */
export function startEndingDeliveries(parts: EndingParts): { close(): Promise<void> } {
  const { intervalMs, findDeletedChannels, endDeliveries, log } = parts
  return repeatUntilClosed({
    async step(signal) {
      for (const channel of await findDeletedChannels()) {
        let ended = 0
        for (let last = batch; last === batch && !signal.aborted; ended += last)
          last = await endDeliveries(channel, { batch })
        if (ended > 0)
          log.warn({ channel, ended }, "deliveries that waited are dead, because their channel was deleted")
      }
    },
    intervalMs,
    failed: "deliveries of deleted channels could not be ended; it is repeated",
    log,
  })
}
