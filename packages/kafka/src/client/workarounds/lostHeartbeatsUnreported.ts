/*
 * Defect of kafkajs 2.2.4: a consumer that gets no responses may report neither an error nor a CRASH event.
 * Effect: the process stays ready and consumes nothing.
 * Delete this file when kafkajs reports lost heartbeats.
 */
import type { Consumer } from "kafkajs"

export function watchHeartbeats(
  consumer: Consumer,
  sessionTimeoutMs: number,
  onSilent: (silentMs: number) => void,
): { stop(): void } {
  let respondedAt = performance.now()
  const responded = () => {
    respondedAt = performance.now()
  }
  consumer.on(consumer.events.GROUP_JOIN, responded)
  consumer.on(consumer.events.HEARTBEAT, responded)
  const timer = setInterval(() => {
    const silentMs = performance.now() - respondedAt
    if (silentMs > sessionTimeoutMs) onSilent(silentMs)
  }, 1_000)
  return { stop: () => clearInterval(timer) }
}
