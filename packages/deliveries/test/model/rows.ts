import type { Sql } from "@sitewire/database"
import type { Model } from "./referenceModel.ts"

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`
const list = (columns: string, table: string) =>
  `(select coalesce(json_agg(json_build_array(${columns})), '[]') from ${table})`

const statement = `select
  ${list(`id, event_id, channel_id, state, attempts, last_error, last_status, ${ms("finished_at")}, dead_reason, last_job, ${ms("created_at")}, length(body) > 0`, "delivery")} as deliveries,
  ${list(`delivery_id, channel_id, attempts, ${ms("next_attempt_at")}, ${ms("deferred_at")}, deferred_reason, ${ms("lease_expires_at")}, failures, ${ms("period_started_at")}, unreachable_ms`, "waiting_delivery")} as waiting,
  ${list(`delivery_id || ' ' || number || ' ' || ${ms("started_at")}::bigint, response_excerpt is not null, request_headers is not null`, "attempt")} as attempts,
  ${list("event_id, delivery_id", "known_event")} as known,
  ${list(`delivery_id, state, attempts, error, ${ms("since")}`, "ended_delivery")} as ended,
  ${list(`channel_id, counted_ms, ${ms("seen_at")}`, "unreachable_channel")} as unreachable`

type Rows = Record<keyof Model["rows"], string[]>

const sorted = (tables: Record<keyof Rows, unknown[]>): Rows => {
  const entries = Object.entries(tables).map(([table, rows]) => [
    table,
    rows.map((row) => JSON.stringify(row)).sort(),
  ])
  return Object.fromEntries(entries)
}

/** All rows of deliveries. */
export async function readRows(sql: Sql): Promise<Rows> {
  const [rows] = await sql<Record<keyof Rows, unknown[]>>(statement, [], "read-rows")
  if (!rows) throw new Error("Postgres returned no rows")
  return sorted(rows)
}

/** What `readRows` must return. */
export function rowsOf({ rows }: Model): Rows {
  return sorted({
    deliveries: [...rows.deliveries].map(([id, of]) => {
      const { event, channel, state, attempts, lastError, lastStatus, finished, deadReason, job, created } =
        of
      return [
        id,
        event,
        channel,
        state,
        attempts,
        lastError,
        lastStatus,
        finished,
        deadReason,
        job,
        created,
        state !== "erased",
      ]
    }),
    waiting: [...rows.waiting].map(([id, of]) => {
      const { attempts, next, deferred, reason, lease, failures, periodStart, unreachable } = of
      const channel = rows.deliveries.get(id)?.channel
      return [id, channel, attempts, next, deferred, reason, lease, failures, periodStart, unreachable]
    }),
    attempts: [...rows.attempts].map(([key, quotes]) => [key, quotes, quotes]),
    known: [...rows.known],
    ended: rows.ended.map(({ id, state, attempts, error, since }) => [id, state, attempts, error, since]),
    unreachable: [...rows.unreachable].map(([channel, { counted, seen }]) => [channel, counted, seen]),
  })
}
