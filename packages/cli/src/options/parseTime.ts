import { InvalidArgumentError } from "commander"
import { z } from "zod"

/** Parses any format of Date.parse, and returns ISO 8601 in UTC. */
export function parseTime(text: string): string {
  // The date is checked first: Date.parse converts 31 February to 3 March.
  const ms = z.iso.date().safeParse(text.slice(0, 10)).success ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError(
      "It must be a time such as 2026-11-21T04:00:00Z, or a day such as 2026-11-21.",
    )
  }
  return new Date(ms).toISOString()
}
