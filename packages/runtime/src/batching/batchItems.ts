export type BatchBounds = {
  /** How long a batch waits for more items after its first, in milliseconds. 0: until the event loop's next turn. */
  lingerMs: number
  /** A batch of this size does not linger. It grows only while it waits for `maxRunning`. By default `maxBatch`. */
  flushAt?: number
  /** The largest batch. */
  maxBatch: number
  /** How many batches run at the same time. Further items are batched meanwhile. */
  maxRunning: number
}

export type BatchItemsSettings<Item> = BatchBounds & {
  /** Does the work of a batch. The next batch may run when this settles or calls `release`. Must not reject. */
  run: (items: Item[], isLate: () => boolean, release: () => void) => Promise<void>
  /** How long a batch may take from its first item on, including its wait. Without it, there is no limit. */
  deadline?: {
    ms: number
    /** Called once for a late batch. If it has not begun, it is dropped. */
    onLate: (items: Item[], begun: boolean) => void
  }
}

type Batch<Item> = { items: Item[]; due: boolean; late: boolean; timers: NodeJS.Timeout[] }

/**
 * Batches items, so that one statement or one request serves many. The oldest batch runs first. Returns the function that
 * adds an item. There are timers per batch, not per item.
 */
export function batchItems<Item>(settings: BatchItemsSettings<Item>): (item: Item) => void {
  const { lingerMs, maxBatch, flushAt = maxBatch, maxRunning, run, deadline } = settings
  /** Batches that have not begun, the oldest first. Items are added to the newest. */
  const waiting: Batch<Item>[] = []
  let running = 0

  function openBatch(): Batch<Item> {
    const batch: Batch<Item> = { items: [], due: false, late: false, timers: [] }
    const onDue = () => {
      batch.due = true
      begin()
    }
    batch.timers.push(setTimeout(onDue, lingerMs))
    if (deadline) batch.timers.push(setTimeout(() => expire(batch, deadline.onLate), deadline.ms))
    waiting.push(batch)
    return batch
  }

  function begin(): void {
    for (let next = waiting[0]; next && running < maxRunning; next = waiting[0]) {
      if (!next.due && next.items.length < flushAt) return
      waiting.shift()
      void runBatch(next)
    }
  }

  async function runBatch(batch: Batch<Item>): Promise<void> {
    running += 1
    let released = false
    const release = () => {
      if (released) return
      released = true
      running -= 1
      begin()
    }
    await run(batch.items, () => batch.late, release)
    for (const timer of batch.timers) clearTimeout(timer)
    release()
  }

  function expire(batch: Batch<Item>, onLate: (items: Item[], begun: boolean) => void): void {
    batch.late = true
    const index = waiting.indexOf(batch)
    if (index >= 0) waiting.splice(index, 1)
    onLate(batch.items, index < 0)
  }

  return (item) => {
    const newest = waiting.at(-1)
    const batch = newest && newest.items.length < maxBatch ? newest : openBatch()
    batch.items.push(item)
    if (batch.items.length === flushAt) begin()
  }
}
