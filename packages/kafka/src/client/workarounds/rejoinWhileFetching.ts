/*
 * Defect of kafkajs 2.2.4: if a leader moves or partitions are added, the consumer rejoins from inside one
 * broker's fetch loop while the fetch loops of other brokers continue. These loops can deliver a batch
 * although the records before it were revoked and are not done.
 * Measured: committing such a batch lost records when one of two brokers was killed.
 * Delete this file when kafkajs stops all fetch loops before it rejoins.
 */
import type { Consumer } from "kafkajs"

/** Call it before other listeners of GROUP_JOIN are registered, so that they run after `end` was called. */
export function endAfterUnsafeRejoin(consumer: Consumer, end: (why: string) => void): void {
  const fetchingFrom = new Set<number>()
  consumer.on(consumer.events.FETCH_START, ({ payload }) => {
    fetchingFrom.add(payload.nodeId)
  })
  // REBALANCING is emitted after all fetch loops have stopped.
  consumer.on(consumer.events.REBALANCING, () => fetchingFrom.clear())
  consumer.on(consumer.events.GROUP_JOIN, () => {
    if (fetchingFrom.size > 1) end("the group was rejoined while records were fetched from several brokers")
  })
}
