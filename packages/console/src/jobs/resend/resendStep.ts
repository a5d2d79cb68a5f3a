import { clockMarginMs, lowestDeliveryId, type ResendFilter, resendFilterSchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { z } from "zod"
import { deferForResend } from "./deferForResend.ts"
import type { RunningJob, Step, StepParts } from "../job.ts"

/** Rows that one statement looks at, whatever the filter lets through: it bounds the statement's time. */
const scanRows = 2_000

const nothingBefore = "00000000-0000-0000-0000-000000000000"

const positionSchema = z.object({ perSecond: z.int(), after: z.string() })
type Position = z.output<typeof positionSchema>

export function beginResend(perSecond: number): Position {
  return { perSecond, after: nothingBefore }
}

/**
 * One step of a resend: defers the next deliveries, a quarter of a second's at most, in the transaction that moves the
 * job on. So a crash repeats nothing, and a cancelled job has deferred what its counts say. The pace spares the
 * dispatchers' other work; each channel's own limits hold anyway.
 */
export async function stepResend(job: RunningJob, { sql }: StepParts): Promise<Step> {
  const { perSecond, after } = positionSchema.parse(job.position)
  const filter = resendFilterSchema.parse(job.filter)
  const most = Math.ceil(perSecond / 4)
  const { range, values } = rangeOf(filter, job.createdAt, after)
  const { conditions, values: more } = conditionsOf(filter, job.createdAt, values.length + 1)
  const [row] = await sql<Deferred>(deferNext({ range, conditions, most }), [...values, ...more])
  const { resent = 0, matched = 0, through = null, scanned = 0 } = row ?? {}
  const position: Position = { perSecond, after: through ?? after }
  return {
    kind: "stepped",
    position,
    counts: { resent, left_out: matched - resent },
    done: matched < most && scanned < scanRows,
    restMs: (resent / perSecond) * 1_000,
  }
}

/** `scanned` is counted only where fewer matched than may be deferred. */
type Deferred = { resent: number; matched: number; through: string | null; scanned: number }

// The update looks at the filter again: a row can change between being found and being locked, and one that was erased
// or delivered meanwhile is left out. Rows behind the last that is deferred are not read, which halves a step's time.
const deferNext = ({ range, conditions, most }: { range: string; conditions: string; most: number }) => `
with scanned as (
  select id, state, created_at from delivery where ${range} order by id limit ${scanRows}
), matched as (
  select id from scanned where ${conditions} order by id limit ${most}
), deferred as (
  update delivery set ${deferForResend}
   where id in (select id from matched) and state <> 'erased' and ${conditions}
  returning id
), counted as (
  select (select count(*)::int from matched) as matched, (select count(*)::int from deferred) as resent
)
select resent, matched,
       case when matched = ${most} then (select id from matched order by id desc limit 1)
            else (select id from scanned order by id desc limit 1) end as through,
       case when matched = ${most} then 0 else (select count(*)::int from scanned) end as scanned
  from counted`

/** How many deliveries a resend made now would take, and how many erased ones it would leave out. */
export async function countResend(
  sql: Sql,
  filter: ResendFilter,
): Promise<{ matching: number; leftOut: number }> {
  const now = new Date()
  const { range, values } = rangeOf(filter, now, nothingBefore)
  const { conditions, values: more } = conditionsOf(filter, now, values.length + 1)
  const [row] = await sql<{ matching: number; left_out: number }>(
    `select count(*) filter (where state <> 'erased')::int as matching,
            count(*) filter (where state = 'erased')::int as left_out
       from delivery where ${range} and ${conditions}`,
    [...values, ...more],
  )
  return { matching: row?.matching ?? 0, leftOut: row?.left_out ?? 0 }
}

/** The part of the filter that an index answers: ids, which are times, and the channel. */
function rangeOf({ channel, created_from, created_to }: ResendFilter, createdAt: Date, after: string) {
  const from = created_from === undefined ? 0 : Date.parse(created_from) - clockMarginMs
  const lowest = lowestDeliveryId(from)
  const values = [after, lowest, lowestDeliveryId(endOf(created_to, createdAt) + clockMarginMs)]
  const range = "id > $1 and id >= $2 and id < $3"
  return channel === undefined
    ? { range, values }
    : { range: `${range} and channel_id = $4`, values: [...values, channel] }
}

function conditionsOf({ state, created_from, created_to }: ResendFilter, createdAt: Date, at: number) {
  const values: unknown[] = [created_from ?? new Date(0), new Date(endOf(created_to, createdAt))]
  const conditions = `created_at >= $${at} and created_at < $${at + 1}`
  if (state === undefined) return { conditions, values }
  return { conditions: `${conditions} and state = $${at + 2}::delivery_state`, values: [...values, state] }
}

/** Never later than the job itself: what comes afterwards would keep it going for ever. */
function endOf(createdTo: string | undefined, createdAt: Date): number {
  return Math.min(
    createdTo === undefined ? Number.POSITIVE_INFINITY : Date.parse(createdTo),
    createdAt.getTime(),
  )
}
