import { type Columns, columnValues, defineStatement, type Sql, unnestColumns } from "@sitewire/database"

// The time in which a channel could not be reached is a part of the retry periods of its deferred deliveries. Dispatchers add it to the
// channel's row. A deferral stores the count of its time (`unreachableUntilNow`), and what was added since is the delivery's.

/**
 * SQL for how much of its retry period a deferred delivery has used. Neither part is negative, whatever happened to Postgres's clock.
 */
export const elapsedTime = `(greatest(interval '0', deferred_at - period_started_at)
    + interval '1 millisecond' * greatest(0, coalesce(counted_ms, 0) - coalesce(unreachable_ms, 0)))`

/** SQL for the value of `unreachable_ms` when a delivery is deferred: what is counted, and what the next report adds. */
export const unreachableUntilNow = (channel: string) =>
  `(select counted_ms + extract(epoch from greatest(interval '0', least(now() - seen_at, interval '2 minutes'))) * 1000
      from unreachable_channel where unreachable_channel.channel_id = ${channel})`

/** `ms`: for how long this process could not reach the channel since its last report. */
export type Unreachable = { channel: string; ms: number }

const columns: Columns<Unreachable> = {
  channel_id: ["text", ({ channel }) => channel],
  ms: ["float8", ({ ms }) => ms],
}

// Several dispatchers count the same time, so none adds more than has passed since the last one did, and a repeated report adds
// nothing. What is to be added to a locked row is not counted: another dispatcher counts, or deliveries die later.
const count = defineStatement(
  "count-unreachable",
  `
with open as (
  select channel_id, ms from ${unnestColumns(columns, "given")} join channel on id = channel_id
), unlocked as materialized (
  select channel_id from unreachable_channel where channel_id = any ($channel_id::text[]) order by channel_id for update skip locked
), counted as (
  update unreachable_channel as known
     set counted_ms = counted_ms + least(ms, greatest(0, extract(epoch from now() - seen_at) * 1000)), seen_at = now()
    from open
   where known.channel_id = any (array(select channel_id from unlocked)) and known.channel_id = open.channel_id
)
insert into unreachable_channel (channel_id, counted_ms, seen_at) select channel_id, ms, now() from open
 where channel_id <> all (array(select channel_id from unreachable_channel where channel_id = any ($channel_id::text[])))
 order by channel_id
on conflict do nothing`,
)

export async function reportUnreachable(sql: Sql, open: readonly Unreachable[]): Promise<void> {
  await count(sql, columnValues(columns, open))
}

const reportEveryMs = 5_000
const lateAfterMs = 60_000

export type CountUnreachableParts = {
  openBreakers: () => readonly { key: string; openedAt: number; probeDue: boolean }[]
  isNetworkDown: () => boolean
  report: (open: Unreachable[]) => Promise<void>
  pollIntervalMs: number
}

/** `counted`: ms that are not reported yet. `unsure`: ms since a probe was due that was not sent yet. */
type Open = { seenAt: number; counted: number; unsure: number }

/**
 * Counts the time in which circuit breakers are open and this process probes.
 *
 * A probe that is due is sent at the next poll. If it is late, this process could not send it: Postgres was unavailable, a
 * sealing key is missing, all claims were in use, or the process was frozen. The time from when it was due does not count.
 * Neither does the time in which the channel is paused, or our network is down, because probes say nothing then.
 */
export function countUnreachable(parts: CountUnreachableParts) {
  const { openBreakers, isNetworkDown, report, pollIntervalMs } = parts
  const longestMs = lateAfterMs + 2 * pollIntervalMs
  let open = new Map<string, Open>()
  let reportAt = 0

  function observe(isPaused: (channel: string) => boolean): void {
    const now = performance.now()
    const next = new Map<string, Open>()
    for (const { key, openedAt, probeDue } of openBreakers()) {
      const last = open.get(key) ?? { seenAt: openedAt, counted: 0, unsure: 0 }
      // A longer time has passed if this process was frozen, or Postgres did not respond.
      const passed = now - last.seenAt
      const counts = passed <= longestMs && !isNetworkDown() && !isPaused(key)
      const unsure = counts ? last.unsure + passed : 0
      if (probeDue) next.set(key, { seenAt: now, counted: last.counted, unsure })
      else
        next.set(key, { seenAt: now, counted: last.counted + (unsure <= longestMs ? unsure : 0), unsure: 0 })
    }
    open = next
  }

  async function send(): Promise<void> {
    const sent = [...open].flatMap(([channel, { counted: ms }]) => (ms > 0 ? [{ channel, ms }] : []))
    if (sent.length === 0) return
    await report(sent)
    for (const { channel, ms } of sent) {
      const now = open.get(channel)
      if (now) now.counted -= ms
    }
  }

  return {
    /** Call it at each poll. Rejects if Postgres is unavailable; the time is then reported later. */
    async poll(isPaused: (channel: string) => boolean): Promise<void> {
      observe(isPaused)
      const now = performance.now()
      if (now < reportAt) return
      reportAt = now + reportEveryMs
      await send()
    },
  }
}
