/*
 * Defect of kafkajs 2.2.4: it counts the time since the last heartbeat by the machine's clock. If the clock is
 * set back, a consumer sends no heartbeat for as long, even if it joins again meanwhile.
 * Effect: the broker removes the member, which continues to fetch, and every commit fails.
 * A new membership, used here, starts to count again.
 * Delete this file when kafkajs counts by a monotonic clock.
 */
import type { Consumer } from "kafkajs"

export function endAfterClockSetBack(
  consumer: Consumer,
  sessionTimeoutMs: number,
  end: (why: string) => void,
): { stop(): void } {
  const clockOffset = () => Date.now() - performance.now()
  let atHeartbeat = clockOffset()
  consumer.on(consumer.events.HEARTBEAT, () => {
    atHeartbeat = clockOffset()
  })
  const timer = setInterval(() => {
    const setBackMs = atHeartbeat - clockOffset()
    // After a smaller step, the next heartbeat is still sent within the session timeout.
    if (setBackMs > sessionTimeoutMs / 2)
      end(`the machine's clock was set back by ${Math.round(setBackMs / 1_000)} s`)
  }, 1_000)
  return { stop: () => clearInterval(timer) }
}
