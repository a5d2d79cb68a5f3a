import { type Columns, columnValues, defineStatement, type Sql, unnestColumns } from "@sitewire/database"
import type { Limiter } from "@sitewire/limiter"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"

export type ChannelStatus = { channel: string } & ReturnType<Limiter["status"]>

export type ReportingParts = {
  sql: Sql
  dispatcher: string
  /** Channels that fail, are slow, or have deferred deliveries. */
  statuses: () => ChannelStatus[]
  onDeleted: (channel: string) => void
  onRecovered: (channel: string) => void
  intervalMs: number
  log: Logger
}

/** Writes what this process knows about channels to Postgres, for the console. */
export function startReportingStatus(parts: ReportingParts): { close(): Promise<void> } {
  const { sql, dispatcher, statuses, onDeleted, onRecovered, intervalMs, log } = parts
  const reporting = repeatUntilClosed({
    async step() {
      for (const { channel, exists } of await reportStatuses(sql, dispatcher, statuses())) {
        if (exists) onRecovered(channel)
        else onDeleted(channel)
      }
    },
    intervalMs,
    failed: "the status of channels could not be written; it is repeated",
    log,
  })
  return {
    async close() {
      await reporting.close()
      await deleteDispatcher(sql, dispatcher).catch((error: unknown) =>
        log.debug({ error }, "the status could not be deleted; it counts as outdated after a minute"),
      )
    },
  }
}

const columns: Columns<ChannelStatus> = {
  channel_id: ["text", ({ channel }) => channel],
  open_for_ms: ["float8", ({ openedAt }) => openedAt && performance.now() - openedAt],
  failures: ["int", ({ failures }) => failures],
  concurrency_limit: ["int", ({ limit }) => limit],
  in_flight: ["int", ({ inFlight }) => inFlight],
  average_ms: ["int", ({ averageMs }) => Math.round(averageMs)],
}

/** Without the time for which the breaker is open, which always changes. */
const compared = (row: string, isClosed: string) =>
  `(${isClosed}, ${row}.failures, ${row}.concurrency_limit, ${row}.in_flight, ${row}.average_ms)`

// Alone, so that nothing that fails below makes a running dispatcher look dead. Its row is inserted again if it was frozen for so
// long that another one deleted it.
const heartbeat = defineStatement(
  "dispatcher-heartbeat",
  `
with dead as (
  delete from dispatcher where seen_at < now() - interval '1 minute' and id <> $dispatcher
)
insert into dispatcher (id, started_at, seen_at) values ($dispatcher, now(), now())
on conflict (id) do update set seen_at = now()`,
)

const report = defineStatement<{ channel: string; exists: boolean }>(
  "report-statuses",
  `
with given as materialized (
  select * from ${unnestColumns(columns)}
), normal as (
  delete from channel_status where dispatcher_id = $dispatcher and channel_id not in (select channel_id from given)
), written as (
  insert into channel_status (channel_id, dispatcher_id, breaker_opened_at, failures, concurrency_limit, in_flight, average_ms)
  select given.channel_id, $dispatcher, now() - open_for_ms * interval '1 millisecond', given.failures,
         given.concurrency_limit, given.in_flight, given.average_ms
    from given join channel on channel.id = given.channel_id
    left join channel_status known on known.channel_id = given.channel_id and known.dispatcher_id = $dispatcher
   where ${compared("known", "known.breaker_opened_at is null")} is distinct from ${compared("given", "open_for_ms is null")}
  on conflict (channel_id, dispatcher_id) do update
     set breaker_opened_at = excluded.breaker_opened_at, failures = excluded.failures,
         concurrency_limit = excluded.concurrency_limit, in_flight = excluded.in_flight,
         average_ms = excluded.average_ms
)
select given.channel_id as channel, channel.id is not null as exists
  from given left join channel on channel.id = given.channel_id
  left join channel_failure on channel_failure.channel_id = given.channel_id
 where channel.id is null or ended_at > now() - open_for_ms * interval '1 millisecond'`,
)

/**
 * Writes that this dispatcher runs, and the statuses that have changed; deletes its others, and dispatchers that have died. Returns the
 * channels that do not exist any more, and those whose breakers are open although an attempt of another dispatcher or a test has
 * succeeded since.
 */
export async function reportStatuses(sql: Sql, dispatcher: string, statuses: readonly ChannelStatus[]) {
  await heartbeat(sql, { dispatcher })
  return report(sql, { ...columnValues(columns, statuses), dispatcher })
}

/** The last one leaves its row, which tells since when no dispatcher is running. */
async function deleteDispatcher(sql: Sql, dispatcher: string): Promise<void> {
  await sql("delete from dispatcher where id = $1 and exists (select from dispatcher where id <> $1)", [
    dispatcher,
  ])
}
