const startedAt = Date.now() - performance.now()

/**
 * The time in milliseconds since the epoch by the clock of this process's start, which nobody can set since. Retry periods are
 * measured with it: if the host's clock is set ahead during an attempt, the delivery must not die.
 */
export const steadyClock = { now: (): number => startedAt + performance.now() }
