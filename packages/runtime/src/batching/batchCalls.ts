import { type BatchBounds, batchItems } from "./batchItems.ts"

export type BatchCallsSettings<Item, Result> = BatchBounds & {
  /** Must return the results in the items' order. If it rejects, each call of the batch rejects. */
  run: (items: Item[]) => Promise<Result[]>
}

type Call<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }

export function batchCalls<Item, Result>(
  settings: BatchCallsSettings<Item, Result>,
): (item: Item) => Promise<Result> {
  async function runCalls(calls: Call<Item, Result>[]): Promise<void> {
    try {
      const results = await settings.run(calls.map(({ item }) => item))
      calls.forEach(({ resolve }, at) => {
        resolve(results[at] as Result)
      })
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
  }
  const add = batchItems<Call<Item, Result>>({ ...settings, run: runCalls })
  return (item) => new Promise((resolve, reject) => add({ item, resolve, reject }))
}
