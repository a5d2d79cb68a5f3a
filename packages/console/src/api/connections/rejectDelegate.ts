import type { Caller } from "../../auth/caller.ts"
import { problem } from "../../http/problems.ts"
import type { Problem } from "../../http/response.ts"

/**
 * Executors may have private addresses and get signed requests. So only operators may name an executor: a site's
 * owner could otherwise let a scheduler call any service in their range.
 */
export function rejectDelegate(caller: Caller, ...runners: string[]): Problem | null {
  if (caller.sites === "all" || !runners.includes("delegate")) return null
  return problem(
    "missing-scope",
    "The API key may neither create nor change a connection with the runner delegate. That needs the scope operate.",
  )
}
