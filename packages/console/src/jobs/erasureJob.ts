import { clockMarginMs, lowestDeliveryId } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { digestsOf, finalPassAfterMs, type Subject, storeMaxMs, subjectSchema } from "@sitewire/erasure"
import { z } from "zod"
import type { RunningJob, Step, StepParts } from "./job.ts"

const scanRows = 500

const positionSchema = z.object({ after: z.string(), finalPass: z.boolean().default(false) })
type Position = z.output<typeof positionSchema>

export function beginErasure(): Position {
  return { after: "00000000-0000-0000-0000-000000000000", finalPass: false }
}

/**
 * One step of an erasure, all in the transaction that moves the job on. There is no index of addresses: that would be
 * one more place that holds them. So every body is looked at, 500 rows a step.
 *
 * A dispatcher whose list of erasures does not have this one yet may store an event behind the place that the first pass
 * has reached. So a final pass, which begins when every dispatcher has this one, looks once more at what was stored
 * since the job was asked for.
 */
export async function stepErasure(job: RunningJob, { sql }: StepParts): Promise<Step> {
  const { after, finalPass } = positionSchema.parse(job.position)
  const subject = subjectSchema.parse(job.filter)
  const scanned = await scan(sql, after, job.createdAt, subject)
  const erased = scanned.matching.length === 0 ? none : await erase(sql, scanned.matching)
  const counts = { [finalPass ? "looked_at_again" : "looked_at"]: scanned.rows, ...erased }
  if (scanned.last && !finalPass) {
    const position: Position = { after: beforeFinalPass(job.createdAt), finalPass: true }
    return { kind: "stepped", position, counts, done: false, restMs: finalPassAfterMs }
  }
  const position: Position = { after: scanned.through, finalPass }
  return { kind: "stepped", position, counts, done: scanned.last }
}

/** A delivery that is committed after the job was made has a higher id than this. */
function beforeFinalPass(createdAt: Date): string {
  return lowestDeliveryId(createdAt.getTime() - storeMaxMs - clockMarginMs)
}

const none = { deliveries_erased: 0, excerpts_erased: 0 }

async function erase(sql: Sql, ids: string[]): Promise<typeof none> {
  // The hash of a body goes with it: with all else known, guesses of the address could be tested against it.
  const deliveries = await sql(
    `update delivery
        set body = '', body_sha256 = '', state = 'erased', finished_at = coalesce(finished_at, now()),
            next_attempt_at = null, deferred_at = null, deferred_reason = null, lease_expires_at = null,
            failures = null, period_started_at = null
      where id = any($1::uuid[]) and state <> 'erased'
      returning id`,
    [ids],
  )
  // A statement of its own, after the rows above are locked: it sees what an attempt that was being recorded wrote.
  // A partner may have answered with what it was sent.
  const excerpts = await sql(
    `update attempt set response_excerpt = null
      where delivery_id = any($1::uuid[]) and response_excerpt is not null
      returning number`,
    [ids],
  )
  return { deliveries_erased: deliveries.length, excerpts_erased: excerpts.length }
}

/** How many deliveries an erasure made now would take; `complete` is false where `deadlineMs` was over before. */
export async function countErasure(
  sql: Sql,
  subject: Subject,
  deadlineMs: number,
): Promise<{ matching: number; complete: boolean }> {
  const endsAt = performance.now() + deadlineMs
  const now = new Date()
  let matching = 0
  for (let { after } = beginErasure(); performance.now() < endsAt; ) {
    const scanned = await scan(sql, after, now, subject)
    matching += scanned.matching.length
    if (scanned.last) return { matching, complete: true }
    after = scanned.through
  }
  return { matching, complete: false }
}

/**
 * Bodies are decoded here and not in Postgres: its jsonb refuses \u0000, which a site's name may hold, and one such row
 * would stop every erasure; and what it takes for lower case depends on the database's locale.
 */
async function scan(sql: Sql, after: string, createdAt: Date, subject: Subject) {
  // What is stored later was checked against a list that has this erasure.
  const until = lowestDeliveryId(createdAt.getTime() + finalPassAfterMs + clockMarginMs)
  const rows = await sql<{ id: string; body: Buffer }>(
    `select id, body from delivery where id > $1 and id < $2 order by id limit ${scanRows}`,
    [after, until],
  )
  const [wanted = ""] = Object.values(subject)
  return {
    matching: rows.filter(({ body }) => digestsOf(body)?.includes(wanted)).map(({ id }) => id),
    rows: rows.length,
    through: rows.at(-1)?.id ?? after,
    last: rows.length < scanRows,
  }
}
