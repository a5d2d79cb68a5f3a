/*
 * Defect of kafkajs 2.2.4: if a leader moves or partitions are added, kafkajs rejoins from inside one broker's fetch loop while
 * the loops of other brokers continue. They can deliver a batch from before the rejoin, whose offsets follow records that
 * were revoked. Effect: committing that batch skipped those records; records were lost when a broker of two was killed.
 * Here such a membership ends, and the next one starts from the committed offsets.
 * Delete this file when the client stops all fetch loops before it rejoins.
 */
import type { Consumer } from "kafkajs"

/** Register before other listeners of GROUP_JOIN: after such a rejoin they must find the membership ended. */
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
