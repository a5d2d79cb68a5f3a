/*
 * Defect of kafkajs 2.2.4: `pause` and `resume` throw while the consumer is not running.
 * Effect: if the timer of a delayed partition fires while the consumer restarts, the process ends.
 * Delete this file when kafkajs ignores such calls.
 */
export function ignoreIfNotRunning(pauseOrResume: () => void): void {
  try {
    pauseOrResume()
  } catch {}
}
