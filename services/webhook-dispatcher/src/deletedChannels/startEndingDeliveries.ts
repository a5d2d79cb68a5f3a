import type { Logger } from "@sitewire/runtime"
import { type PublishDeadLetter, publishUnattempted } from "../outcome/publishDeadLetter.ts"
import type { WaitingDelivery } from "./claimWaiting.ts"

const batch = 500
const claimMs = 30_000

export type EndingParts = {
  /** Attempts that started before the deletion have ended after this time. */
  attemptsEndWithinMs: number
  intervalMs: number
  findDeletedChannels: (settings: { afterMs: number }) => Promise<string[]>
  claimWaiting: (channel: string, settings: { batch: number; leaseMs: number }) => Promise<WaitingDelivery[]>
  endDeliveries: (claimed: WaitingDelivery[]) => Promise<void>
  finishDeletedChannel: (channel: string) => Promise<void>
  publishDeadLetter: PublishDeadLetter
  log: Logger
}

/**
 * Marks the deliveries of deleted channels as dead. None of them is attempted meanwhile: every attempt reads its channel
 * first, and those that had read it before the deletion have ended after `attemptsEndWithinMs`. Dead letters are
 * published before the rows are updated, so a kill in between repeats them.
 */
export function startEndingDeliveries(parts: EndingParts): { close(): Promise<void> } {
  const { findDeletedChannels, claimWaiting, endDeliveries, finishDeletedChannel, publishDeadLetter, log } =
    parts
  let stopping = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function endAll(): Promise<void> {
    for (const channel of await findDeletedChannels({ afterMs: parts.attemptsEndWithinMs })) {
      let ended = 0
      for (let last = batch; last === batch && !stopping; ended += last) last = await endBatch(channel)
      if (ended > 0)
        log.warn({ channel, ended }, "deliveries that waited are dead, because their channel was deleted")
      if (!stopping) await finishDeletedChannel(channel)
    }
  }

  async function endBatch(channel: string): Promise<number> {
    const waiting = await claimWaiting(channel, { batch, leaseMs: claimMs })
    if (waiting.length === 0) return 0
    const pending = waiting.filter(({ isPending }) => isPending)
    await publishUnattempted(publishDeadLetter, pending, "channel-deleted")
    await endDeliveries(waiting)
    return waiting.length
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
