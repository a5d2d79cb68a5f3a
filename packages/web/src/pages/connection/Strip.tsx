import type { PendingWindow, Window } from "@sitewire/contracts"
import { formatMinute, formatTime } from "../../format.ts"
import { syncOutcomes, triggersOf } from "../../words.ts"
import classes from "./Windows.module.css"

export const windowKinds = {
  running: "busy",
  changed: "good",
  unchanged: "idle",
  failed: "bad",
  abandoned: "bad",
} as const

const windowMs = 60_000
const settleMs = 5_000
const shownMs = 12 * windowMs

/**
 * The newest windows on a line of time: above it the first and last trigger that each sync covers, below it the sync
 * and its window.
 */
export function Strip({ windows, pending }: { windows: readonly Window[]; pending: PendingWindow | null }) {
  const newest = Date.parse(pending?.earliest_start_at ?? windows[0]?.sync.started_at ?? "")
  const end = newest + windowMs + settleMs
  const start = end - shownMs
  const visible = windows.filter(({ sync }) => Date.parse(sync.started_at) + windowMs > start)
  const x = (at: string | number) => (typeof at === "string" ? Date.parse(at) : at) - start
  const percent = (ms: number) => `${(100 * ms) / shownMs}%`
  const minutes = Array.from(
    { length: 13 },
    (_, index) => Math.ceil(start / windowMs) * windowMs + index * windowMs,
  )
  return (
    <figure
      className={classes.strip}
      aria-label={`The newest ${visible.length} windows on a line of time. The list below has the same data.`}
    >
      <div className={classes.canvas}>
        {minutes
          .filter((minute) => minute < end)
          .map((minute, index) => (
            <i key={minute} className={classes.minute} style={{ insetInlineStart: percent(x(minute)) }}>
              {/* At the end there is no room for the time. */}
              {end - minute > windowMs / 2 && (
                <small data-minor={index % 3 !== 0}>{formatMinute(minute)}</small>
              )}
            </i>
          ))}
        {visible.map(({ sync, triggers }) => (
          <div key={sync.fence}>
            <Triggers triggers={triggers} until={x(sync.started_at)} x={x} percent={percent} />
            <span
              className={classes.window}
              data-kind={windowKinds[sync.outcome]}
              title={`${syncOutcomes[sync.outcome]} · ${formatTime(new Date(sync.started_at), "near")} · ${triggersOf(triggers.count)}`}
              style={clip(x(sync.started_at), windowMs, percent)}
            />
          </div>
        ))}
        {pending && (
          <>
            <Triggers
              triggers={pending.triggers}
              until={x(pending.earliest_start_at)}
              x={x}
              percent={percent}
            />
            <span
              className={classes.window}
              data-kind="pending"
              title={`Next sync · ${formatTime(new Date(pending.earliest_start_at), "near")}`}
              style={clip(x(pending.earliest_start_at), windowMs, percent)}
            />
          </>
        )}
      </div>
      <figcaption>
        <span data-kind="trigger">first and last trigger, with their number</span>
        <span data-kind="good">a sync and its minute</span>
        <span data-kind="bad">a failed sync</span>
        <span data-kind="pending">the next sync</span>
      </figcaption>
    </figure>
  )
}

function clip(from: number, length: number, percent: (ms: number) => string) {
  const visibleFrom = Math.max(0, from)
  const visibleTo = Math.min(shownMs, from + length)
  return { insetInlineStart: percent(visibleFrom), width: percent(Math.max(0, visibleTo - visibleFrom)) }
}

/** A line from the first trigger to the sync that covers it, with their number. */
function Triggers({
  triggers: { count, first_at, last_at },
  until,
  x,
  percent,
}: {
  triggers: Window["triggers"]
  until: number
  x: (at: string) => number
  percent: (ms: number) => string
}) {
  if (first_at === null || last_at === null || until < 0) return null
  const from = Math.max(0, x(first_at))
  return (
    <>
      <span
        className={classes.triggers}
        title={`${triggersOf(count)} · ${formatTime(new Date(first_at), "near")}`}
        style={{ insetInlineStart: percent(from), width: percent(Math.max(0, until - from)) }}
      >
        <b>{count}</b>
      </span>
      {[...new Set([first_at, last_at])]
        .filter((at) => x(at) >= 0)
        .map((at) => (
          <i key={at} className={classes.trigger} style={{ insetInlineStart: percent(x(at)) }} />
        ))}
    </>
  )
}
