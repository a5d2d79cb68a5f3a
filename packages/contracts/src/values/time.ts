import { textLike } from "./plainText.ts"

const example = "2026-03-01T12:00:00Z"
const day =
  "(([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-?02-?29|[0-9]{4}-?((0[13578]|1[02])-?(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-?(0[1-9]|[12][0-9]|30)|02-?(0[1-9]|1[0-9]|2[0-8])))"
const timeOfDay =
  "(([01][0-9]|2[0-3])(:?[0-5][0-9](:?([0-5][0-9]|60))?)?([.,][0-9]+)?|24(:?00){0,2}([.,]0+)?)"
const offset = "([Zz]|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)"
const existingDay = new RegExp(`^${day}`)

const parts =
  /^([0-9]{4})-?([0-9]{2})-?([0-9]{2})[Tt ]([0-9]{2})(?::?([0-9]{2})(?::?([0-9]{2}))?)?(?:[.,]([0-9]+))?([Zz]|([+-])([0-9]{2})(?::?([0-9]{2}))?)?$/

/**
 * A calendar date and a time with a UTC offset, in each form of ISO 8601 (such as Java's, without seconds, and the basic ones), and
 * with a space instead of the T.
 */
export const timeWithOffset = textLike(`^${day}[Tt ]${timeOfDay}${offset}$`, ({ input }) => {
  const [text, , , , , , , , offset] = parts.exec(String(input)) ?? []
  if (text === undefined) return `must be a time with a UTC offset, such as ${example}`
  if (offset === undefined) return `needs a UTC offset, such as ${example}`
  return existingDay.test(text)
    ? "is at a time of day, or has a UTC offset, that does not exist"
    : "is on a day that does not exist"
})

/** Milliseconds since the epoch, rounded down, of a text that `timeWithOffset` accepts. A second 60 is the next minute's first. */
export function toMs(time: string): number {
  const [, year, month, date, hour, minute, second, fraction = "", , sign, hours = 0, minutes = 0] =
    parts.exec(time) ?? []
  // A fraction is one of the smallest unit that is given.
  const unitMs = second !== undefined ? 1_000 : minute !== undefined ? 60_000 : 3_600_000
  const sinceMidnight = (Number(hour) * 60 + Number(minute ?? 0)) * 60_000 + Number(second ?? 0) * 1_000
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000)
  // Nine digits, because Number() would round more of them up to the next second.
  const fractionMs = Math.floor(Number(`0.${fraction.slice(0, 9)}`) * unitMs)
  return Date.parse(`${year}-${month}-${date}`) + sinceMidnight + fractionMs - offsetMs
}

export const tooFar = "must be in the years 1970 to 9999, in UTC"

/**
 * A time in a request, normalised to UTC with milliseconds, because Postgres does not accept every year or
 * offset.
 */
export const timeSchema = timeWithOffset
  .refine((time) => isYearBetween(1970, 9999, new Date(toMs(time))), tooFar)
  .meta({ override: documentFormat, "x-rejections": [tooFar] })
  .transform((time) => new Date(toMs(time)).toISOString())

/** Documents name the usual form alone. */
function documentFormat({ jsonSchema }: { jsonSchema: { format?: string; pattern?: string } }): void {
  jsonSchema.format = "date-time"
  delete jsonSchema.pattern
}

function isYearBetween(first: number, last: number, time: Date): boolean {
  const year = time.getUTCFullYear()
  return first <= year && year <= last
}
