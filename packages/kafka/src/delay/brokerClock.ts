/** All times in milliseconds; `now` and stamps since the epoch, `monotonic` by `performance.now()`. */
export type BrokerClock = {
  now(): number
  /** Forgets what was observed: after a suspension the monotonic clock has stood still. */
  restart(): void
  /** A record with this LogAppendTime was read. */
  read(appendedAt: number): void
  /** A record with this LogAppendTime was sent at `sentAt`, monotonic, and has just been acknowledged. */
  acknowledged(appendedAt: number, sentAt: number): void
}

/**
 * The brokers' time, as well as this process can know it: the monotonic clock plus an offset that follows what is observed.
 *
 * 1. Without observations the brokers' time is this machine's, as it was at the start or as it is now, whichever is earlier.
 *    So a clock that is set ahead while records wait makes none of them early (an hour ahead would make all of an hourly
 *    topic due at once), and a clock that was ahead at the start and is corrected is right at once.
 * 2. A record cannot have been appended in the future: the brokers' time is never before the newest stamp that was read. A
 *    clock that is behind, from the start or since it was set, is right again when a new record is read.
 * 3. A record was appended after it was sent: its acknowledgement limits the brokers' time to its stamp plus the time
 *    since. A clock beyond that is ahead and not used: 2 alone counts, from the first record that this process publishes on.
 *
 * Where 2 and 3 contradict each other (a broker's own clock was set), the newer observation is right. Brokers whose clocks
 * differ from each other make records early or late by that difference.
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
      // Stamps are in whole milliseconds, rounded down.
      atMost(appendedAt + 1 - sentAt)
    },
  }
}
