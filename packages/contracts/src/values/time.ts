import { z } from "zod"

const example = "2026-03-01T12:00:00Z"

export const timeWithOffset = z.iso.datetime({
  offset: true,
  abort: true,
  error: ({ code, input }) => {
    if (code !== "invalid_format") return undefined
    return typeof input === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(input)
      ? `needs a UTC offset, such as ${example}`
      : `must be a time with a UTC offset, such as ${example}`
  },
})

export const tooFar = "must be in the years 1970 to 9999, in UTC"

/**
 * A time in a request, normalised to UTC with milliseconds, because Postgres does not accept every year or
 * offset.
 */
export const timeSchema = timeWithOffset
  .refine((time) => isYearBetween(1970, 9999, new Date(time)), tooFar)
  .meta({ "x-rejections": [tooFar] })
  .transform((time) => new Date(time).toISOString())

function isYearBetween(first: number, last: number, time: Date): boolean {
  const year = time.getUTCFullYear()
  return first <= year && year <= last
}
