/** Local time with its offset: 2026-11-21T04:34:25+01:00. */
export function localTime(iso: string): string {
  const date = new Date(iso)
  const offset = -date.getTimezoneOffset()
  const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 19)
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60]
  return `${local}${offset < 0 ? "-" : "+"}${twoDigits(hours)}:${twoDigits(minutes)}`
}

/** Local time in few characters: 04:34:25 of today, otherwise 11-21 04:34, or 2025-11-21 04:34 of another year. */
export function shortTime(iso: string, now: Date): string {
  const [time, today] = [localTime(iso), localTime(now.toISOString())]
  if (time.slice(0, 10) === today.slice(0, 10)) return time.slice(11, 19)
  return time.slice(time.slice(0, 4) === today.slice(0, 4) ? 5 : 0, 16).replace("T", " ")
}

/** How far the time is from `now`: `3m ago`, `in 4m`, or `now` if it is less than a second. */
export function relativeTime(iso: string, now: Date): string {
  const ms = now.getTime() - new Date(iso).getTime()
  if (Math.abs(ms) < 1_000) return "now"
  return ms > 0 ? `${duration(ms)} ago` : `in ${duration(-ms)}`
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)}s`
  if (ms < 120_000) return `${Math.round(ms / 1_000)}s`
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)}m`
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)}h`
  return `${Math.round(ms / 86_400_000)}d`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0")
}
