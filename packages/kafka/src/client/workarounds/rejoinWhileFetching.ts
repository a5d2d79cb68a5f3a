/*
 * Defect of kafkajs 2.2.4: if a leader moves or partitions are added, it rejoins from inside one broker's
 * fetch loop while those of other brokers continue. These can deliver a batch that follows revoked records.
 * Measured: committing such a batch lost records when a broker of two was killed.
 * Delete this file when the client stops all fetch loops before it rejoins.
 */
import type { Consumer } from "kafkajs"

/** Call it before other listeners of GROUP_JOIN are registered. */
export function endAfterUnsafeRejoin(consumer: Consumer, end: (why: string) => void): void {
  const fetchingFrom = new Set<number>()
  consumer.on(consumer.events.FETCH_START, ({ payload }) => {
    fetchingFrom.add(payload.nodeId)
  })
  // Emitted after all fetch loops have stopped.
  consumer.on(consumer.events.REBALANCING, () => fetchingFrom.clear())
  consumer.on(consumer.events.GROUP_JOIN, () => {
    if (fetchingFrom.size > 1) end("the group was rejoined while records were fetched from several brokers")
  })
}
