import type { DeliveryDue } from "@sitewire/contracts"

/** A delivery that was put off because its channel was busy. Its record waits in the shortest retry topic. */
export type PutOff = {
  channel: string
  next: DeliveryDue
  /** No attempt begins after this, by `performance.now()`: the record could come back to another process before its end. */
  until: number
}

export type RecallSettings = {
  /** How many more the channel could take now. */
  roomOf: (channel: string) => number
  /**
   * Attempts them. `asked` is called once each has asked for its place, and `ended` for each that is finished; what is
   * left out is over when all are. Rejects where one stays undone.
   */
  attempt: (batch: PutOff[], asked: () => void, ended: () => void) => Promise<void>
  /** Remembered over all channels, at most. */
  maxKept: number
  /** Recalled and not finished over all channels, at most. */
  maxOut: number
  onError: (error: unknown) => void
  now?: () => number
}

/**
 * Lets what was put off for a busy channel go out as soon as the channel has room. Without it, a partner that is well and
 * only slow would get what fits into a second, and then nothing until the records come back. What is remembered here may
 * be forgotten at any time: the records carry the deliveries, and come back behind an attempt that was made meanwhile.
 */
export function createRecall(settings: RecallSettings) {
  const { roomOf, attempt, maxKept, maxOut, onError, now = () => performance.now() } = settings
  /** By channel, the oldest first. */
  const kept = new Map<string, PutOff[]>()
  let count = 0
  let out = 0
  let stopped = false
  /** Channels for which deliveries are being loaded: they have not asked for their places yet. */
  const loading = new Set<string>()
  /** Channels that had room while no more could be out: nothing else may tell of theirs again. */
  const waiting = new Set<string>()
  let onIdle = () => {}

  function forget(channel: string): void {
    count -= kept.get(channel)?.length ?? 0
    kept.delete(channel)
  }

  /** Takes from the channel's beginning what may still begin. */
  function take(channel: string, most: number): PutOff[] {
    const list = kept.get(channel) ?? []
    const fresh = list.findIndex(({ until }) => until > now())
    const taken = list.splice(0, fresh < 0 ? list.length : fresh + most)
    count -= taken.length
    if (list.length === 0) kept.delete(channel)
    return fresh < 0 ? [] : taken.slice(fresh)
  }

  /** A channel that is not heard of again must not fill what all share. */
  function forgetExpired(): void {
    for (const channel of [...kept.keys()]) take(channel, 0)
  }

  function recall(channel: string): void {
    if (stopped || loading.has(channel) || !kept.has(channel)) return
    const room = roomOf(channel)
    if (room <= 0) return
    if (out >= maxOut) {
      waiting.add(channel)
      return
    }
    const batch = take(channel, Math.min(room, maxOut - out))
    if (batch.length === 0) return
    out += batch.length
    loading.add(channel)
    let left = batch.length
    function asked(): void {
      loading.delete(channel)
      // They may not have taken the room: some are stale.
      setImmediate(recall, channel)
    }
    // One by one: a partner that lets one of them hang must not hold up what others are recalled for.
    function end(count: number): void {
      left -= count
      out -= count
      if (out === 0) onIdle()
      for (const other of waiting) {
        waiting.delete(other)
        setImmediate(recall, other)
      }
    }
    attempt(batch, asked, () => end(1))
      .catch((error: unknown) => {
        loading.delete(channel)
        onError(error)
      })
      .finally(() => end(left))
  }

  return {
    remember(putOff: PutOff): void {
      if (count >= maxKept) forgetExpired()
      if (count >= maxKept || putOff.until <= now()) return
      count += 1
      const list = kept.get(putOff.channel)
      if (list) list.push(putOff)
      else kept.set(putOff.channel, [putOff])
      // Not at once: whoever has put it off has it in hand until then, and what is in hand is not recalled.
      setImmediate(recall, putOff.channel)
    },
    /** The channel has room now. */
    recall,
    /** The channel takes nothing for now. */
    forget,
    /** Recalls nothing more; resolves when what was recalled is finished, or after `deadlineMs`. */
    async close(deadlineMs: number): Promise<void> {
      stopped = true
      if (out === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadlineMs)
        onIdle = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    counts: () => ({ kept: count, out }),
  }
}
