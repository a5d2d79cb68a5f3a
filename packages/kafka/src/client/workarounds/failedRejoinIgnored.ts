/*
 * Defect of kafkajs 2.2.4: if a rejoin fails because the coordinator still loads the group, the consumer
 * continues to fetch with the revoked assignment, and its heartbeats succeed.
 * Measured: a consumer that looked healthy received no records until a restart.
 * Delete this file when kafkajs retries the join before it fetches.
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
