import { useSyncExternalStore } from "react"
import { formatSpan, formatTime, formatUtc, type TimeFormat } from "../format.ts"

/** A time in the reader's zone. Its tooltip is in UTC. `ms`: with milliseconds, and the time of day in UTC beside it. */
export function Time({ at, format = "near" }: { at: string; format?: TimeFormat }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={formatUtc(date)}>
      {formatTime(date, format)}
      {format === "ms" && ` · ${formatUtc(date).slice("2026-03-01 ".length)}`}
    </time>
  )
}

let now = Date.now()
const listeners = new Set<() => void>()
setInterval(() => {
  now = Date.now()
  for (const listener of listeners) listener()
}, 1_000)

function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => now,
  )
}

/** How long ago, or in what time. `due`: a time that should be in the future. */
export function Ago({ at, due = false }: { at: string; due?: boolean }) {
  const difference = useNow() - Date.parse(at)
  const span = formatSpan(Math.abs(difference))
  const isNow = due && difference > -1_000
  const text = isNow ? "at any moment" : difference < 0 ? `in ${span}` : `${span} ago`
  return <Instant at={at}>{text}</Instant>
}

/** For how long something has lasted. */
export function Since({ at }: { at: string }) {
  return <Instant at={at}>{formatSpan(useNow() - Date.parse(at))}</Instant>
}

/** Its tooltip is the time itself. */
function Instant({ at, children }: { at: string; children: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={`${formatTime(date, "full")} · ${formatUtc(date)}`}>
      {children}
    </time>
  )
}
