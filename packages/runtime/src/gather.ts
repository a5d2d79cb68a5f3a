export type GatherSettings<Item, Result> = {
  /** How long the first of a batch waits for others, in milliseconds. 0: until the current turn's work is done. */
  lingerMs: number
  /** A batch that has grown so large goes at once. */
  maxBatch: number
  /** Batches under way at the same time; further items gather meanwhile. */
  maxRunning: number
  /** Does the work for a batch; the results stand in the items' order. A rejection rejects every item of the batch. */
  run: (items: Item[]) => Promise<Result[]>
}

/**
 * Gathers single calls into batches: one statement or one request does for many callers what each would have done
 * alone. Returns the function that the callers call.
 */
export function gather<Item, Result>(
  settings: GatherSettings<Item, Result>,
): (item: Item) => Promise<Result> {
  const { lingerMs, maxBatch, maxRunning, run } = settings
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }
  const waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined
  let due = false
  let running = 0

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    while (waiting.length > 0 && running < maxRunning && (due || waiting.length >= maxBatch)) {
      const batch = waiting.splice(0, maxBatch)
      running += 1
      void runBatch(batch)
    }
    due = waiting.length > 0 && due
    if (waiting.length > 0 && !due && timer === undefined) timer = setTimeout(onTimer, lingerMs)
  }

  function onTimer(): void {
    due = true
    flush()
  }

  async function runBatch(batch: Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map((entry) => entry.item))
      batch.forEach((entry, index) => {
        entry.resolve(results[index] as Result)
      })
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    } finally {
      running -= 1
      flush()
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (waiting.length >= maxBatch) flush()
      else timer ??= setTimeout(onTimer, lingerMs)
    })
}
