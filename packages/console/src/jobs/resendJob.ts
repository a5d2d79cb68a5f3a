import {
  clockMarginMs,
  type DeliveryDue,
  lowestDeliveryId,
  type ResendFilter,
  resendFilterSchema,
} from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { z } from "zod"
import { publishAll, type RunningJob, type Step, type StepParts } from "./job.ts"
import { waitForResend } from "./waitForResend.ts"

/** Rows that one statement looks at, whatever the filter lets through: it bounds the statement's time. */
const scanRows = 2_000
/** Deliveries of one step at most: what a crash repeats. */
const largestStep = 100

const nothingBefore = "00000000-0000-0000-0000-000000000000"

const positionSchema = z.object({
  perSecond: z.int(),
  after: z.string(),
  /** The step that is being taken: what is published, and where it ends. `cancelJob` reads the ids. */
  planned: z
    .object({
      attempts: z.array(z.tuple([z.string(), z.int()])),
      through: z.string(),
      leftOut: z.int(),
      last: z.boolean(),
    })
    .nullable(),
})
type Position = z.output<typeof positionSchema>

const idsOf = ({ attempts }: NonNullable<Position["planned"]>) => attempts.map(([id]) => id)

export function beginResend(perSecond: number): Position {
  return { perSecond, after: nothingBefore, planned: null }
}

/**
 * One step of a resend. A step is planned, with the number of each attempt, and written down before any of it is
 * published. A crash, or a broker that acknowledged and was not heard, then publishes the same numbers again, and the
 * dispatcher drops those that were made meanwhile: a repeat costs up to 100 records on the topic and no second
 * delivery. Planned anew from the rows of then, it would send what had just arrived once more.
 */
export async function stepResend(job: RunningJob, { sql, publish, topics }: StepParts): Promise<Step> {
  const position = positionSchema.parse(job.position)
  const { perSecond, planned } = position
  if (planned === null) {
    const next = await planStep(sql, position, resendFilterSchema.parse(job.filter), job.createdAt)
    if (next.attempts.length > 0) {
      await waitForResend(sql, idsOf(next))
      return { kind: "stepped", position: { ...position, planned: next }, counts: {}, done: false }
    }
    return {
      kind: "stepped",
      position: { ...position, after: next.through },
      counts: { left_out: next.leftOut },
      done: next.last,
    }
  }

  // Erased or deleted since the plan: left out.
  const rows = await sql<{ id: string; correlation: string }>(
    "select id, correlation from delivery where id = any($1::uuid[]) and state <> 'erased'",
    [idsOf(planned)],
  )
  const attempts = new Map(planned.attempts)
  const records = rows.map(({ id, correlation }) => {
    const due: DeliveryDue = {
      delivery: id,
      attempt: attempts.get(id) ?? 1,
      failures: 0,
      since: job.now.toISOString(),
      correlation,
    }
    return { topic: topics.resend, key: id, value: JSON.stringify(due) }
  })
  const outcome = await publishAll(publish, records)
  if (outcome.kind === "away") return outcome
  return {
    kind: "stepped",
    position: { ...position, after: planned.through, planned: null },
    counts: { resent: rows.length, left_out: planned.leftOut + planned.attempts.length - rows.length },
    done: planned.last,
    restMs: (planned.attempts.length / perSecond) * 1_000,
  }
}

type PlanRow = {
  id: string | null
  attempt: number | null
  erased: boolean | null
  last_scanned: string | null
  scanned: number
}

async function planStep(sql: Sql, { after, perSecond }: Position, filter: ResendFilter, createdAt: Date) {
  const take = Math.min(largestStep, Math.max(1, Math.ceil(perSecond / 4)))
  const { range, values } = rangeOf(filter, createdAt, after)
  const { conditions, values: more } = conditionsOf(filter, createdAt, values.length + 1)
  const rows = await sql<PlanRow>(
    `with scanned as (
       select id, state, attempts, created_at from delivery where ${range} order by id limit ${scanRows}
     ), matched as (
       select id, attempts, state from scanned where ${conditions} order by id limit ${take}
     )
     select matched.id, matched.attempts + 1 as attempt, matched.state = 'erased' as erased,
            (select id from scanned order by id desc limit 1) as last_scanned,
            (select count(*)::int from scanned) as scanned
       from (select) as one left join matched on true
      order by matched.id`,
    [...values, ...more],
  )
  const matched = rows.flatMap(({ id, attempt, erased }) =>
    id === null ? [] : [{ id, attempt: attempt ?? 1, erased }],
  )
  const full = matched.length === take
  const [first] = rows
  return {
    attempts: matched
      .filter(({ erased }) => !erased)
      .map(({ id, attempt }): [string, number] => [id, attempt]),
    through: (full ? matched.at(-1)?.id : first?.last_scanned) ?? after,
    leftOut: matched.filter(({ erased }) => erased).length,
    last: !full && (first?.scanned ?? 0) < scanRows,
  }
}

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
