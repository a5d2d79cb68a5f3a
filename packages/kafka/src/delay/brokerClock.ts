/** Times in milliseconds: `now` and record timestamps since the epoch, monotonic ones as `performance.now()`. */
export type BrokerClock = {
  now(): number
  /** Forgets all observations. The monotonic clock stands still while a machine is suspended. */
  restart(): void
  /** A record with this LogAppendTime was read. */
  read(appendedAt: number): void
  /** A record with this LogAppendTime was sent at `sentAt` (monotonic) and has just been acknowledged. */
  acknowledged(appendedAt: number, sentAt: number): void
}

/**
 * Estimates the brokers' time, by which delayed records are due: the monotonic clock plus an offset from observations.
 *
 * 1. Without observations: this machine's time now, or its time at the start plus the time since, whichever is earlier. So
 *    records are not early if the machine's clock is set ahead while they wait.
 * 2. The newest timestamp that was read is a lower bound: no record is appended in the future. This corrects a machine's
 *    clock that is behind.
 * 3. The timestamp of an acknowledged record plus the time since it was sent is an upper bound. If the machine's clock is
 *    beyond it, only the lower bound counts.
 *
 * If the bounds contradict each other because a broker's clock was set, the newer observation counts. If brokers' clocks
 * differ, records are early or late by the difference.
 */
export function createBrokerClock(
  read = { wall: () => Date.now(), monotonic: () => performance.now() },
): BrokerClock {
  const machineOffset = () => read.wall() - read.monotonic()
  let atStart = machineOffset()
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
    now() {
      const machine = Math.min(atStart, machineOffset())
      return read.monotonic() + (machine > most ? least : Math.max(least, machine))
    },
    restart() {
      atStart = machineOffset()
      least = Number.NEGATIVE_INFINITY
      most = Number.POSITIVE_INFINITY
    },
    read: (appendedAt) => atLeast(appendedAt - read.monotonic()),
    acknowledged(appendedAt, sentAt) {
      atLeast(appendedAt - read.monotonic())
      // Timestamps are whole milliseconds, rounded down.
      atMost(appendedAt + 1 - sentAt)
    },
  }
}
