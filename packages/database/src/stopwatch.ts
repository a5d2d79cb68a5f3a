export type Clocks = { monotonic: () => number; wall: () => number }

const systemClocks: Clocks = { monotonic: () => performance.now(), wall: () => Date.now() }

/**
 * Measures the milliseconds since this call. Uses the clock that shows more, because the monotonic clock
 * stops while the machine is suspended, and the wall clock can be set back.
 */
export function startStopwatch({ monotonic, wall }: Clocks = systemClocks): () => number {
  const started = { monotonic: monotonic(), wall: wall() }
  return () => Math.max(monotonic() - started.monotonic, wall() - started.wall)
}
