import { setTimeout as sleep } from "node:timers/promises"

/**
 * Stands for Flux: calls `reconcile`, which undoes what differs from the overlay, a second after its last end, unless it is
 * suspended. `inTurn` runs another change of the system, and nothing else at the same time.
 */
export function startController(reconcile: () => Promise<void>) {
  let isSuspended = false
  let isEnded = false
  let last: Promise<unknown> = Promise.resolve()
  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = last.then(change, change)
    last = result.catch(() => {})
    return result
  }
  async function run(): Promise<void> {
    for (; !isEnded; await sleep(1_000))
      await inTurn(async () => {
        if (!isSuspended && !isEnded) await reconcile()
      })
  }
  const running = run()
  running.catch(() => {})
  return {
    inTurn,
    setSuspended(value: boolean): void {
      isSuspended = value
    },
    async end(): Promise<void> {
      isEnded = true
      await running
    },
  }
}
