import { z } from "zod"

/**
 * A time that a caller names, with whatever offset and fraction, as it is kept: in UTC with milliseconds. Postgres knows
 * no year 0 and few offsets, and writing a fifth digit of a year takes a sign.
 */
export const instantSchema = z.iso
  .datetime({
    offset: true,
    message: "must be a time with its offset, such as 2026-11-21T04:00:00Z",
    abort: true,
  })
  .refine((time) => isWithin(1970, 9999, new Date(time)), "must be in one of the years 1970 to 9999, in UTC")
  .transform((time) => new Date(time).toISOString())

function isWithin(first: number, last: number, time: Date): boolean {
  const year = time.getUTCFullYear()
  return first <= year && year <= last
}
