import { setTimeout as sleep } from "node:timers/promises"
import { waitDeadlineMs } from "./deadlines.ts"

/**
 * Waits until `condition` returns something other than undefined, null or false, and returns it. Rejects
 * after `deadlineMs` with `what` was awaited and the last error.
 */
export async function waitUntil<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = waitDeadlineMs,
): Promise<Exclude<NonNullable<T>, false>> {
  const endsAt = performance.now() + deadlineMs
  for (let lastError: unknown; ; ) {
    try {
      const seen = await condition()
      if (seen !== undefined && seen !== null && seen !== false) return seen as Exclude<NonNullable<T>, false>
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    if (performance.now() > endsAt) {
      throw new Error(`waited ${deadlineMs} ms in vain for ${what}`, lastError ? { cause: lastError } : {})
    }
    await sleep(20)
  }
}
