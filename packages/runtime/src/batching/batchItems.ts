export type BatchBounds = {
  /** How long the first of a batch waits for others, in milliseconds. 0: until the current turn's work is done. */
  lingerMs: number
  /** A batch that has grown so large goes without lingering, and grows on only while others are under way. By default `maxBatch`. */
  flushAt?: number
  /** A batch that has grown so large takes no more, and goes at once. */
  maxBatch: number
  /** Batches under way at the same time; further items batchCalls meanwhile. */
  maxRunning: number
}

export type BatchItemsSettings<Item> = BatchBounds & {
  /** Does the work for a batch; the next one's turn comes when it settles or calls `release`. Must not reject. */
  run: (items: Item[], isLate: () => boolean, release: () => void) => Promise<void>
  /** How long a batch may take, waiting included, from its first item on. Without it: as long as it likes. */
  deadline?: {
    ms: number
    /** Called once for a batch that is late. One that has not begun never will. */
    onLate: (items: Item[], begun: boolean) => void
  }
}

type Batch<Item> = { items: Item[]; due: boolean; late: boolean; timers: NodeJS.Timeout[] }

/**
 * Gathers items into batches, the oldest first: one statement or one request does for many what each would have cost
 * alone. Returns the function that adds an item. Timers belong to batches, never to items.
 */
export function batchItems<Item>(settings: BatchItemsSettings<Item>): (item: Item) => void {
  const { lingerMs, maxBatch, flushAt = maxBatch, maxRunning, run, deadline } = settings
  /** Those that have not begun. Only the newest may have room left. */
  const gathering: Batch<Item>[] = []
  let running = 0

  function openBatch(): Batch<Item> {
    const batch: Batch<Item> = { items: [], due: false, late: false, timers: [] }
    const onDue = () => {
      batch.due = true
      begin()
    }
    batch.timers.push(setTimeout(onDue, lingerMs))
    if (deadline) batch.timers.push(setTimeout(() => giveUp(batch, deadline.onLate), deadline.ms))
    gathering.push(batch)
    return batch
  }

  function begin(): void {
    for (let next = gathering[0]; next && running < maxRunning; next = gathering[0]) {
      if (!next.due && next.items.length < flushAt) return
      gathering.shift()
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

  function giveUp(batch: Batch<Item>, onLate: (items: Item[], begun: boolean) => void): void {
    batch.late = true
    const place = gathering.indexOf(batch)
    if (place >= 0) gathering.splice(place, 1)
    onLate(batch.items, place < 0)
  }

  return (item) => {
    const newest = gathering.at(-1)
    const batch = newest && newest.items.length < maxBatch ? newest : openBatch()
    batch.items.push(item)
    if (batch.items.length === flushAt) begin()
  }
}
