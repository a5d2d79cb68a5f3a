/*
 * Limit of kafkajs 2.2.4: every fetch waits equally long for records. The wait must be short while partitions are paused, because two
 * things happen only afterwards: resumed partitions are fetched, and a member whose partitions are all paused sends a heartbeat.
 * Measured: fetches that wait 250 ms took half of the CPU time of an installation at rest.
 * Delete this file when kafkajs can be given the wait of a fetch.
 */
import ConsumerGroup from "kafkajs/src/consumer/consumerGroup.js"

export const shortestWaitMs = 250
/** Heartbeats are sent between fetches, once a second. */
const longestWaitMs = 1_000
/** A consumer that has got records lately fetches often, so that it stops, and joins again, without delay. */
const idleAfterMs = 10_000

const activeAt = new WeakMap<ConsumerGroup, number>()

const { fetch } = ConsumerGroup.prototype
ConsumerGroup.prototype.fetch = async function (nodeId) {
  const now = performance.now()
  const lastActiveAt = activeAt.get(this)
  if (lastActiveAt === undefined) activeAt.set(this, now)
  const isIdle = now - (lastActiveAt ?? now) > idleAfterMs && this.paused().length === 0
  this.maxWaitTime = isIdle ? longestWaitMs : shortestWaitMs
  const batches = await fetch.call(this, nodeId)
  // An empty fetch changes nothing, because another broker may have returned records meanwhile.
  if (!batches.every((batch) => batch.isEmpty())) activeAt.set(this, performance.now())
  return batches
}
