import type { Trigger } from "./mergeTriggers.ts"
import type { Address } from "./readAddress.ts"

export type Taken =
  | { status: "accepted"; correlation: string }
  | { status: "not found" }
  | { status: "unavailable"; why: "away" | "crowded" | "late" | "failed" }

export type TakeSettings = {
  checkToken: (address: Address) => Promise<boolean>
  publishTrigger: (trigger: Trigger) => Promise<string>
  /** True while Postgres or Kafka is known to be away: then nobody is made to wait for them. */
  isAway: () => boolean
  maxWaiting: number
  deadlineMs: number
}

/**
 * The way of one trigger: token checked, published, acknowledged. Never rejects, and resolves within `deadlineMs`.
 * A trigger that is "unavailable" may have been published all the same, which costs a sync at most.
 */
export function createTake(settings: TakeSettings) {
  const { checkToken, publishTrigger, isAway, maxWaiting, deadlineMs } = settings
  let waiting = 0

  async function pass(address: Address, isLate: () => boolean): Promise<Taken> {
    const at = Date.now()
    waiting += 1
    try {
      if (!(await checkToken(address))) return { status: "not found" }
      if (isLate()) return { status: "unavailable", why: "late" }
      return { status: "accepted", correlation: await publishTrigger({ connection: address.connection, at }) }
    } catch {
      // Whoever runs the batch has said why, once for all its callers.
      return { status: "unavailable", why: "failed" }
    } finally {
      // Not when it was answered: what is late is held in memory until its batch is done.
      waiting -= 1
    }
  }

  function take(address: Address): Promise<Taken> {
    if (isAway()) return Promise.resolve({ status: "unavailable", why: "away" })
    if (waiting >= maxWaiting) return Promise.resolve({ status: "unavailable", why: "crowded" })
    return new Promise((resolve) => {
      let late = false
      const timer = setTimeout(() => {
        late = true
        resolve({ status: "unavailable", why: "late" })
      }, deadlineMs)
      void pass(address, () => late).then((taken) => {
        clearTimeout(timer)
        resolve(taken)
      })
    })
  }

  return { take, waiting: () => waiting }
}
