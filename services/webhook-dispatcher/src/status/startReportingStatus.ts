import { named, plainArray, type Sql, unnestColumns } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"

export type ChannelStatus = {
  channel: string
  /** Null: the circuit breaker is closed. */
  breakerOpenForMs: number | null
  failures: number
  concurrencyLimit: number
  inFlight: number
  averageMs: number
}

/** All statuses are written again at this interval, which shows which channels were deleted. */
const rewriteEveryMs = 60_000

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

/** Writes what this process knows about channels to Postgres, for the console. Only changes are written. */
export function startReportingStatus(parts: ReportingParts): { close(): Promise<void> } {
  const { sql, dispatcher, statuses, onDeleted, onRecovered, intervalMs, log } = parts
  const written = new Map<string, string>()
  let rewriteAt = 0

  async function report(): Promise<void> {
    const { isNew } = await writeHeartbeat(sql, dispatcher)
    if (isNew || performance.now() >= rewriteAt) {
      if (isNew) written.clear()
      for (const channel of written.keys()) written.set(channel, "")
      rewriteAt = performance.now() + rewriteEveryMs
    }
    const open = statuses().filter(({ breakerOpenForMs }) => breakerOpenForMs !== null)
    if (open.length > 0) for (const channel of await findRecovered(sql, open)) onRecovered(channel)
    const current = new Map(statuses().map((status) => [status.channel, status]))
    const changed = [...current.values()].filter((status) => written.get(status.channel) !== textOf(status))
    if (changed.length > 0) {
      const existing = await writeStatuses(sql, dispatcher, changed)
      for (const status of changed) {
        if (existing.has(status.channel)) written.set(status.channel, textOf(status))
        else onDeleted(status.channel)
      }
    }
    const normal = [...written.keys()].filter((channel) => !current.has(channel))
    if (normal.length > 0) await deleteStatuses(sql, dispatcher, normal)
    for (const channel of normal) written.delete(channel)
  }

  const reporting = repeatUntilClosed({
    step: report,
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

/** Without the time for which the breaker is open, which always changes. */
function textOf({ breakerOpenForMs, ...status }: ChannelStatus): string {
  return JSON.stringify({ ...status, open: breakerOpenForMs !== null })
}

const heartbeat = `
with dead as (
  delete from dispatcher where seen_at < now() - interval '1 minute' and id <> $1
)
insert into dispatcher (id, started_at, seen_at) values ($1, now(), now())
on conflict (id) do update set seen_at = now()
returning started_at = seen_at as is_new`

/**
 * Also deletes dispatchers that have died, with their rows. `isNew`: no row of this dispatcher exists, because it
 * started, or because it was frozen for so long that others deleted its rows.
 */
async function writeHeartbeat(sql: Sql, dispatcher: string): Promise<{ isNew: boolean }> {
  const [row] = await sql<{ is_new: boolean }>(heartbeat, [dispatcher], "write-heartbeat")
  return { isNew: row?.is_new ?? true }
}

const statusColumns = {
  ...{ channel_id: "text", open_for_ms: "float8", failures: "int", concurrency_limit: "int" },
  ...{ in_flight: "int", average_ms: "int" },
}
const upsert = `
insert into channel_status (channel_id, dispatcher_id, breaker_opened_at, failures, concurrency_limit, in_flight, average_ms)
select channel.id, $dispatcher, now() - open_for_ms * interval '1 millisecond', failures, concurrency_limit, in_flight, average_ms
  from ${unnestColumns(statusColumns, "given")}
  join channel on channel.id = given.channel_id
on conflict (channel_id, dispatcher_id) do update
   set breaker_opened_at = excluded.breaker_opened_at, failures = excluded.failures,
       concurrency_limit = excluded.concurrency_limit, in_flight = excluded.in_flight,
       average_ms = excluded.average_ms
returning channel_id`

/** Returns the channels that exist. */
export async function writeStatuses(
  sql: Sql,
  dispatcher: string,
  statuses: readonly ChannelStatus[],
): Promise<Set<string>> {
  const rows = await sql<{ channel_id: string }>(
    ...named(upsert, {
      dispatcher,
      channel_id: statuses.map(({ channel }) => channel),
      open_for_ms: plainArray(statuses.map(({ breakerOpenForMs }) => breakerOpenForMs)),
      failures: plainArray(statuses.map(({ failures }) => failures)),
      concurrency_limit: plainArray(statuses.map(({ concurrencyLimit }) => concurrencyLimit)),
      in_flight: plainArray(statuses.map(({ inFlight }) => inFlight)),
      average_ms: plainArray(statuses.map(({ averageMs }) => averageMs)),
    }),
  )
  return new Set(rows.map(({ channel_id: channel }) => channel))
}

/** Of the channels whose breakers are open, those of which an attempt of another dispatcher or a test has succeeded since. */
async function findRecovered(sql: Sql, open: readonly ChannelStatus[]): Promise<string[]> {
  const rows = await sql<{ channel_id: string }>(
    `select channel_id from channel_failure
       join unnest($1::text[], $2::float8[]) as open (channel_id, open_for_ms) using (channel_id)
      where ended_at > now() - open_for_ms * interval '1 millisecond'`,
    [open.map(({ channel }) => channel), plainArray(open.map(({ breakerOpenForMs }) => breakerOpenForMs))],
  )
  return rows.map(({ channel_id: channel }) => channel)
}

async function deleteStatuses(sql: Sql, dispatcher: string, channels: readonly string[]): Promise<void> {
  await sql("delete from channel_status where dispatcher_id = $1 and channel_id = any($2::text[])", [
    dispatcher,
    channels,
  ])
}

/** The last one leaves its row, which tells since when no dispatcher is running. */
async function deleteDispatcher(sql: Sql, dispatcher: string): Promise<void> {
  await sql("delete from dispatcher where id = $1 and exists (select from dispatcher where id <> $1)", [
    dispatcher,
  ])
}
