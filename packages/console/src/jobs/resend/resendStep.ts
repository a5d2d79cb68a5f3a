import { beforeFirstId, resendFilterSchema } from "@sitewire/contracts"
import { named } from "@sitewire/database"
import { resend } from "@sitewire/deliveries"
import { z } from "zod"
import type { RunningJob, Step, StepContext } from "../job.ts"
import { countResend } from "./countResend.ts"
import { conditionsOf, rangeOf, timesOf } from "./resendFilter.ts"

/** The most rows that a statement scans, so that it takes a limited time even if few rows match. */
const scanRows = 2_000

const positionSchema = z.object({
  perSecond: z.int(),
  after: z.string(),
  /** How many deliveries match. Missing until the first step has counted them; null if that took too long. */
  total: z.int().nullable().optional(),
})
type Position = z.output<typeof positionSchema>

export function firstResendPosition(perSecond: number): Position {
  return { perSecond, after: beforeFirstId }
}

/** Counting delays the steps of other jobs. */
const countDeadlineMs = 5_000

/**
 * One step of a resend. The first counts the deliveries. The others defer the next deliveries, at most as many as
 * the job's rate allows in a quarter of a second. The same transaction saves the job's position. A crash therefore
 * repeats nothing, and the counts of a cancelled job are exact.
 */
export async function resendStep(job: RunningJob, { sql }: StepContext): Promise<Step> {
  const { perSecond, after, total } = positionSchema.parse(job.position)
  const filter = resendFilterSchema.parse(job.filter)
  if (total === undefined) {
    const counting = { now: job.createdAt, deadlineMs: countDeadlineMs }
    const { matching, left_out, complete } = await countResend(sql, filter, counting)
    const position = { perSecond, after, total: complete ? matching + left_out : null }
    return { position, counts: {}, done: false }
  }
  const most = Math.ceil(perSecond / 4)
  const { range, values } = rangeOf(filter, timesOf(filter, job.createdAt), after)
  const matching = conditionsOf(filter, job.createdAt)
  const [row] = await sql<Matched>(
    ...named(findNext({ range, conditions: matching.conditions, most }), { ...values, ...matching.values }),
  )
  const { ids = [], through = null, scanned = 0 } = row ?? {}
  // The conditions are checked again, because a delivery can be erased or delivered before it is locked.
  const resent = await resend(sql, ids, job.id, matching)
  const position: Position = { perSecond, after: through ?? after, total }
  return {
    position,
    counts: { resent: resent.length, left_out: ids.length - resent.length },
    done: ids.length < most && scanned < scanRows,
    intervalMs: (resent.length / perSecond) * 1_000,
  }
}

/** If the step found its maximum of matching rows, `scanned` is 0, because the scanned rows are not counted. */
type Matched = { ids: string[]; through: string | null; scanned: number }

// If the maximum of rows matches, no expression reads further rows of `scanned`, so Postgres ends the scan early.
const findNext = ({ range, conditions, most }: { range: string; conditions: string; most: number }) => `
with scanned as (
  select id, state, created_at from delivery where ${range} order by id limit ${scanRows}
), matched as (
  select id from scanned where ${conditions} order by id limit ${most}
), counted as (
  select array(select id::text from matched order by id) as ids
)
select ids,
       case when cardinality(ids) = ${most} then ids[${most}]
            else (select id::text from scanned order by id desc limit 1) end as through,
       case when cardinality(ids) = ${most} then 0 else (select count(*)::int from scanned) end as scanned
  from counted`
