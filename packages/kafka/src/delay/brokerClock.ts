export type BrokerClock = ReturnType<typeof createBrokerClock>

/**
 * Estimates the brokers' time in milliseconds since the epoch, by which delayed records are due. Kafka has no request for it, and
 * by the machine's clock alone, a step of an hour would make all of an hourly topic due at once.
 *
 * 1. Without observations, the estimate is the earlier of two times: the machine's time now, or its time at
 *    the start plus the time since. So no record is early if the machine's clock is set ahead.
 * 2. The newest timestamp that was read, plus the time since, is a lower bound, because no record is
 *    appended in the future.
 * 3. The timestamp of an acknowledged record plus the time since it was sent is an upper bound. If the
 *    machine's time is above it, the estimate is the lower bound.
 *
 * If the bounds contradict each other, the newer observation counts.
 *
 * A machine that was suspended looks like one whose clock was set ahead. So nothing is forgotten, not even at a
 * rebalance: records are then late until one is read or acknowledged, and never early.
 */
export function createBrokerClock(read = { wall: () => Date.now(), monotonic: () => performance.now() }) {
  const machineOffset = () => read.wall() - read.monotonic()
  const atStart = machineOffset()
  let least = Number.NEGATIVE_INFINITY
  let most = Number.POSITIVE_INFINITY

  function atLeast(offset: number): void {
    least = Math.max(least, offset)
    most = Math.max(most, offset)
  }

  function atMost(offset: number): void {
    most = Math.min(most, offset)
    least = Math.min(least, offset)
  }

  return {
    now(): number {
      const machine = Math.min(atStart, machineOffset())
      return read.monotonic() + (machine > most ? least : Math.max(least, machine))
    },
    read: (appendedAt: number): void => atLeast(appendedAt - read.monotonic()),
    /** A record with this LogAppendTime, sent at `sentAt` by `performance.now()`, has just been acknowledged. */
    acknowledged(appendedAt: number, sentAt: number): void {
      atLeast(appendedAt - read.monotonic())
      // Timestamps are rounded down to whole milliseconds: the record was appended up to 1 ms later.
      atMost(appendedAt + 1 - sentAt)
    },
  }
}
