export type BatchBounds = {
  lingerMs: number
  /**
   * While no batch runs, one with this many items does not wait for more. Default: `maxBatch`. While one runs, the next goes on
   * growing, because larger batches cost less for each item.
   */
  flushAt?: number
  maxBatch: number
  maxRunning: number
}

export type BatchItemsSettings<Item> = BatchBounds & {
  /**
   * Must not reject. `isLate` tells whether the deadline has passed. The next batch may run when the promise
   * resolves or `release` is called.
   */
  run: (items: Item[], isLate: () => boolean, release: () => void) => Promise<void>
  /** How long a batch may take, including its wait. */
  deadline?: {
    ms: number
    /** Called once for each late batch. If the batch has not begun, it never runs. */
    onLate: (items: Item[], begun: boolean) => void
  }
}

type Batch<Item> = { items: Item[]; due: boolean; late: boolean; timers: NodeJS.Timeout[] }

/**
 * Batches items, so that one statement or request serves many. Returns the function that adds an item. Timers
 * are per batch and not per item, because there are many items.
 */
export function batchItems<Item>(settings: BatchItemsSettings<Item>): (item: Item) => void {
  const { lingerMs, maxBatch, flushAt = maxBatch, maxRunning, run, deadline } = settings
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

  const enough = () => (running > 0 ? maxBatch : flushAt)

  function begin(): void {
    for (let next = waiting[0]; next && running < maxRunning; next = waiting[0]) {
      if (!next.due && next.items.length < enough()) return
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
    if (batch.items.length === enough()) begin()
  }
}
