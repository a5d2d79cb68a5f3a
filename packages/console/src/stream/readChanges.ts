import {
  type StreamEvent,
  type StreamedDelivery,
  type StreamedJob,
  streamedChannelSchema,
  streamedDeliverySchema,
  streamedJobSchema,
  streamedSyncSchema,
} from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { describeSyncError } from "../connections/describeSyncError.ts"
import { maskedBody } from "../deliveries/maskEmails.ts"
import { responseOf } from "../http/response.ts"

export type Change = {
  event: StreamEvent
  channel?: string
  connection?: string
  site?: string
  data: object
}

/**
 * A point in the order of Postgres's commits: what a stream with this position has sent is what the snapshot contains.
 * So nothing is missed if transactions commit in another order than they began.
 */
export type StreamPosition = { atMs: number; snapshot: string }

export type Changes = {
  changes: Change[]
  /** There were more changes than `maxRows`, so `changes` is incomplete. */
  tooMany: boolean
  next: StreamPosition
}

const maxRows = 5_000

/**
 * An attempt is recorded within this time of its start. A change that is
 * recorded later, after an outage, is not found.
 */
const recordedWithinMs = 30_000
/** A sync ends within this time of its start. */
const syncEndsWithinMs = 120_000

export async function readPosition(sql: Sql): Promise<StreamPosition> {
  const [row] = await sql<{ at: Date; snapshot: string }>(
    "select now() as at, pg_current_snapshot()::text as snapshot",
  )
  if (!row) throw new Error("Postgres returned no snapshot")
  return { atMs: row.at.getTime(), snapshot: row.snapshot }
}

/**
 * What was committed since the position. `next`: where the next call begins, read before this call. So a change that is
 * committed meanwhile is found again, but none is missed.
 */
export async function readChanges(sql: Sql, since: StreamPosition, next: StreamPosition): Promise<Changes> {
  const { snapshot } = since
  const from = new Date(since.atMs - recordedWithinMs)
  const deliveries = await sql<DeliveryRow>(...named(deliveryStatement, { snapshot, from }))
  const syncsFrom = new Date(since.atMs - syncEndsWithinMs)
  const syncs = await sql<SyncRow>(...named(syncStatement, { snapshot, from: syncsFrom }))
  const channels = await sql<ChannelRow>(...named(channelStatement, { snapshot }))
  const jobs = await sql<JobRow>(...named(jobStatement, { snapshot, from }))
  const lists = [deliveries, syncs, channels, jobs]
  return {
    changes: [
      ...channels.map(channelChange),
      ...deliveries.map(deliveryChange),
      ...syncs.map(syncChange),
      ...jobs.map(jobChange),
    ],
    tooMany: lists.some((list) => list.length > maxRows),
    next,
  }
}

/**
 * True for rows whose newest version the snapshot `$snapshot` does not contain. `xmin` is only the low 32 bits of a
 * transaction id. Because the rows are recent, the full id is the latest one up to xmax with these bits.
 */
const isNew = (table: string) => `not pg_visible_in_snapshot((
  pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  - ((pg_snapshot_xmax(pg_current_snapshot())::text::bigint - ${table}.xmin::text::bigint) & 4294967295)
)::text::xid8, $snapshot::pg_snapshot)`

const attemptSchema = streamedDeliverySchema.shape.last_attempt.unwrap()

type DeliveryRow = Pick<
  Prisma.DeliveryModel,
  "id" | "event_id" | "body" | "channel_id" | "state" | "attempts" | "created_at" | "finished_at"
> &
  Pick<Prisma.WaitingDeliveryModel, "next_attempt_at" | "deferred_at" | "deferred_reason"> &
  Pick<Prisma.AttemptModel, "started_at" | "duration_ms" | "status"> & {
    number: number | null
    error: NonNullable<StreamedDelivery["last_attempt"]>["error"]
  }

// Of old deliveries, those with a new attempt, and those that somebody has resent or cancelled.
const deliveryStatement = `
with changed as materialized (
  (select id from delivery where stored_at >= $from and ${isNew("delivery")}
   union
   select id from waiting_delivery join delivery on id = delivery_id where stored_at >= $from and ${isNew("waiting_delivery")}
   union
   select delivery_id from attempt where started_at >= $from and ${isNew("attempt")}
   union
   select target_id::uuid from audit_entry
    where created_at >= $from and target_kind = 'delivery' and ${isNew("audit_entry")})
  limit ${maxRows + 1}
)
select delivery.id, event_id, body, delivery.channel_id, state, delivery.attempts, next_attempt_at, deferred_at, deferred_reason,
       created_at, finished_at, last.*
  from changed join delivery on delivery.id = changed.id
  left join waiting_delivery on waiting_delivery.delivery_id = changed.id
  left join lateral (
    select number, started_at, duration_ms, status, error from attempt
     where attempt.delivery_id = changed.id order by number desc, started_at desc limit 1
  ) last on true
 order by delivery.id`

function deliveryChange(row: DeliveryRow): Change {
  const reference = maskedBody(row.body)?.reference
  const data = responseOf(streamedDeliverySchema, {
    ...row,
    reference: typeof reference === "string" ? reference : null,
    channel: row.channel_id,
    last_attempt: row.number === null ? null : responseOf(attemptSchema, { ...row, number: row.number }),
  })
  return { event: "delivery", channel: row.channel_id, data }
}

type SyncRow = Pick<Prisma.ConnectionModel, "site"> &
  Pick<Prisma.SyncRunModel, "connection_id" | "started_at" | "outcome" | "error" | "status" | "triggers"> & {
    fence: string
    finished_at: Date | null
    bytes: string | null
  }

// Not `allSyncs`, whose rows have no `xmin`.
const syncStatement = `
select connection_id, site, fence, started_at, finished_at, outcome, error, status, triggers, bytes from (
  select connection_id, fence, run_started_at as started_at, null as finished_at, 'running' as outcome, null as error,
         null as status, run_triggers as triggers, null as bytes
    from sync_window where running and run_started_at >= $from and ${isNew("sync_window")}
  union all
  select connection_id, fence, started_at, finished_at, outcome, error, status, triggers, bytes
    from sync_run where started_at >= $from and ${isNew("sync_run")}
) sync join connection on connection.id = connection_id
 order by started_at limit ${maxRows + 1}`

function syncChange(row: SyncRow): Change {
  const data = responseOf(streamedSyncSchema, {
    ...row,
    connection: row.connection_id,
    fence: Number(row.fence),
    reason: describeSyncError(row.error, row.status)?.reason ?? null,
    bytes: row.bytes === null ? null : Number(row.bytes),
  })
  return { event: "sync", connection: row.connection_id, site: row.site, data }
}

type ChannelRow = Pick<Prisma.ChannelModel, "id" | "paused_at" | "updated_at">

const channelStatement = `
select id, paused_at, updated_at from channel where id > '' and ${isNew("channel")} order by id`

function channelChange(row: ChannelRow): Change {
  return { event: "channel", channel: row.id, data: responseOf(streamedChannelSchema, row) }
}

type JobRow = Pick<Prisma.JobModel, "id" | "kind" | "state" | "created_at" | "finished_at"> &
  Pick<StreamedJob, "counts">

const jobStatement = `
select id, kind, state, counts, created_at, finished_at from job
 where (state = 'running' or finished_at >= $from) and ${isNew("job")}
 order by created_at, id limit ${maxRows + 1}`

function jobChange(row: JobRow): Change {
  return { event: "job", data: responseOf(streamedJobSchema, row) }
}
