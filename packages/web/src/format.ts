import { mostDeadCounted } from "@sitewire/contracts/partnerMessage"

/** Dates have the form that the reader has chosen in the browser. */
const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(navigator.language, options)
const times = {
  date: dates({ dateStyle: "medium" }),
  time: dates({ timeStyle: "medium" }),
  full: dates({ dateStyle: "medium", timeStyle: "medium" }),
  thisYear: dates({ month: "short", day: "numeric", hour: "numeric", minute: "2-digit", second: "2-digit" }),
  ms: dates({
    ...{ year: "numeric", month: "short", day: "numeric" },
    ...{ hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 },
  }),
  day: dates({ month: "short", day: "numeric" }),
  minute: dates({ timeStyle: "short" }),
}
/** The texts are English, and so are the numerals in them. */
const locale = navigator.language.startsWith("en") ? navigator.language : "en-GB"
const number = new Intl.NumberFormat(locale)
const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 })

export const formatNumber = (value: number) => number.format(value)
export const formatCompact = (value: number) =>
  value < 10_000 ? number.format(value) : compact.format(value)
/** A number of deliveries. `more`: there may be more, because the API counts up to a limit, mostly this one. */
export const formatCounted = (count: number, more = count >= mostDeadCounted) =>
  `${formatNumber(count)}${more ? "+" : ""}`
export const formatDay = (at: Date) => times.day.format(at)
export const formatMinute = (at: number | Date) => times.minute.format(at)

export type TimeFormat = "near" | "full" | "time" | "ms" | "date"

/** `near`: without the date if it is today's, and without the year if it is this one's. */
export function formatTime(at: Date, format: TimeFormat): string {
  if (format !== "near") return times[format].format(at)
  const now = new Date()
  if (at.toDateString() === now.toDateString()) return times.time.format(at)
  return times[at.getFullYear() === now.getFullYear() ? "thisYear" : "full"].format(at)
}

/** The same instant in UTC. */
export const formatUtc = (at: Date) => at.toISOString().replace("T", " ").replace("Z", " UTC")

export function formatMs(ms: number): string {
  if (ms < 1) return "<1 ms"
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(ms < 10_000 ? 2 : 1))} s`
  return formatSpan(ms)
}

/** A length of time in its two largest units, such as `2 h 5 min`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const units = [
    ["d", 86_400],
    ["h", 3_600],
    ["min", 60],
    ["s", 1],
  ] as const
  const first = units.findIndex(([, length]) => seconds >= length)
  if (first === -1) return "0 s"
  let rest = seconds
  const parts = units.slice(first, first + 2).flatMap(([name, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return count === 0 ? [] : [`${count} ${name}`]
  })
  return parts.join(" ")
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${number.format(bytes)} B`
  const units = ["KiB", "MiB", "GiB"]
  let value = bytes / 1_024
  let unit = 0
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024
    unit += 1
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`
}

export function formatPercent(share: number): string {
  const percent = share * 100
  // 99.96 % is not all: it is never rounded up to 100 %.
  if (percent > 99 && percent < 100) return `${(Math.floor(percent * 100) / 100).toFixed(2)} %`
  return `${Number.isInteger(percent) ? percent : percent.toFixed(1)} %`
}
