/*
 * Defect of kafkajs 2.2.4: `pause` and `resume` throw while the consumer is not running.
 * Effect: a delayed partition's timer that fires during a restart of the consumer ends the process.
 * Delete this file when the client ignores such calls.
 */
export function ignoreIfNotRunning(pauseOrResume: () => void): void {
  try {
    pauseOrResume()
  } catch {}
}
