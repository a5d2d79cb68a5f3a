import type { Logger } from "@sitewire/runtime"

const batch = 500

export type EndingParts = {
  intervalMs: number
  findDeletedChannels: () => Promise<string[]>
  endDeliveries: (channel: string, settings: { batch: number }) => Promise<number>
  log: Logger
}

/** Marks the deliveries of deleted channels as dead, except those with a lease: their attempts, which may be in flight, end first. */
export function startEndingDeliveries(parts: EndingParts): { close(): Promise<void> } {
  const { findDeletedChannels, endDeliveries, log } = parts
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function endAll(): Promise<void> {
    for (const channel of await findDeletedChannels()) {
      let ended = 0
      for (let last = batch; last === batch && !stopping; ended += last)
        last = await endDeliveries(channel, { batch })
      if (ended > 0)
        log.warn({ channel, ended }, "deliveries that waited are dead, because their channel was deleted")
    }
  }

  function schedule(): void {
    if (stopping) return
    timer = setTimeout(() => {
      running = endAll()
        .catch((error: unknown) =>
          log.debug({ error }, "deliveries of deleted channels could not be ended; it is repeated"),
        )
        .finally(schedule)
    }, parts.intervalMs)
  }
  schedule()

  return {
    async close() {
      stopping = true
      clearTimeout(timer)
      await running
    },
  }
}
