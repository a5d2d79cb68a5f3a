/*
 * Defect of kafkajs 2.2.4: if a rejoin fails because the new coordinator still loads the group, kafkajs fetches on with the
 * assignment that was revoked here, and its heartbeats succeed. Effect: a consumer that looked healthy received no records
 * until it was restarted.
 * Here the membership ends, and the next one joins anew.
 * Delete this file when the client retries such a join before it fetches.
 */
import type { Consumer } from "kafkajs"

export function endAfterFailedRejoin(consumer: Consumer, end: (why: string) => void): void {
  let joined = false
  consumer.on(consumer.events.REBALANCING, () => {
    joined = false
  })
  consumer.on(consumer.events.GROUP_JOIN, () => {
    joined = true
  })
  consumer.on(consumer.events.FETCH_START, () => {
    if (!joined) end("rejoining the group failed")
  })
}
