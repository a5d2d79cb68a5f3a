import { InvalidArgumentError } from "commander"
import { z } from "zod"

const unitMs: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

/** For the notes of commands with times. */
export const timeHelp =
  "A time is how long ago it was (30m, 2h, 3d), a time of day that was last (12:00), now, today, yesterday, a day\n" +
  "(2026-11-21), or an instant (2026-11-21T04:00:00Z). Without an offset it is in this machine's time zone."

/** Parses a time in the past in any form of `timeHelp`, and returns ISO 8601 in UTC. */
export function parseTime(text: string): string {
  return parse(text, { direction: "past", form: "2h (ago), 12:00, yesterday" })
}

/** Parses a time in the future: `90d` is in 90 days, and 12:00 is the next noon. Returns ISO 8601 in UTC. */
export function parseFutureTime(text: string): string {
  return parse(text, { direction: "future", form: "90d (from now), 12:00" })
}

type Direction = "past" | "future"

function parse(text: string, { direction, form }: { direction: Direction; form: string }): string {
  const now = new Date()
  const time =
    relative(text, now, direction) ?? timeOfDay(text, now, direction) ?? day(text, now) ?? instant(text)
  if (time === null || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError(
      `It must be a time such as ${form}, 2026-11-21T04:00:00Z, or a day such as 2026-11-21.`,
    )
  }
  return time.toISOString()
}

function relative(text: string, now: Date, direction: Direction): Date | null {
  const [, amount, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (amount === undefined) return null
  const ms = Number(amount) * (unitMs[unit] ?? 0)
  return new Date(now.getTime() + (direction === "past" ? -ms : ms))
}

/** The last one in the past, or the next one. Calendar days, because a day with a clock change has not 24 hours. */
function timeOfDay(text: string, now: Date, direction: Direction): Date | null {
  const [, hour, minute, second = "0"] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? []
  if (hour === undefined) return null
  const at = (offset: number) => {
    const date = new Date(now)
    date.setDate(date.getDate() + offset)
    date.setHours(Number(hour), Number(minute), Number(second), 0)
    return date
  }
  const today = at(0)
  if (direction === "past") return today <= now ? today : at(-1)
  return today > now ? today : at(1)
}

function day(text: string, now: Date): Date | null {
  if (text === "now") return now
  if (text !== "today" && text !== "yesterday") return null
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - (text === "yesterday" ? 1 : 0))
}

function instant(text: string): Date | null {
  // The date is checked first: Date.parse converts 31 February to 3 March.
  if (!z.iso.date().safeParse(text.slice(0, 10)).success) return null
  // Date.parse takes a day alone as UTC, and a day with a time as local.
  return new Date(text.length === 10 ? `${text}T00:00` : text)
}
