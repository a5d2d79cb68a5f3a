import { beforeFirstId, type PlainSubject, subjectSchema } from "@sitewire/contracts"
import { readDigestKey, type SealingKeys, type Sql, storedSubject } from "@sitewire/database"
import { erase } from "@sitewire/deliveries"
import { deletePreviousContents } from "@sitewire/syncs"
import { z } from "zod"
import type { RunningJob, Step, StepContext } from "../job.ts"
import { findNamed } from "./findNamed.ts"

/** `after`: all ids up to it have been read. */
const positionSchema = z.object({ after: z.string() })

export const firstErasurePosition = { after: beforeFirstId }

/**
 * One step of an erasure: finds the deliveries of a day that name the subject, and erases them. No dispatcher stores an event
 * that the erasure covers once the first step has begun: the migration describes `erasure_version_for_storing`.
 *
 * Contents of connections that were replaced may name anybody: each step deletes some, until there is none.
 */
export async function erasureStep(job: RunningJob, { sql, sealingKeys }: StepContext): Promise<Step> {
  const { after } = positionSchema.parse(job.position)
  if (after === beforeFirstId) await sql("select wait_for_storing()")
  const subject = subjectSchema.parse(job.filter)
  const digestKey = await readDigestKey(sql, sealingKeys)
  const scanned = await findNamed({ sql, digestKey, subject, createdAt: job.createdAt }, after)
  const erased = await erase(sql, scanned.matching, job.id)
  const contents = await deletePreviousContents(sql, { before: new Date(), limit: contentsPerStep })
  const contacts = "email_digest" in subject ? await deleteContacts(sql, subject.email_digest) : 0
  const counts = {
    scanned: scanned.rows,
    ...erased,
    ...(contents > 0 ? { previous_contents_deleted: contents } : {}),
    ...(contacts > 0 ? { contacts_deleted: contacts } : {}),
  }
  const done = scanned.last && !(await hasPreviousContents(sql, job.createdAt))
  return { position: { after: scanned.after }, counts, done }
}

const contentsPerStep = 500

async function hasPreviousContents(sql: Sql, replacedBefore: Date): Promise<boolean> {
  const [row] = await sql<{ found: boolean }>(
    "select exists (select 1 from previous_snapshot where replaced_at < $1) as found",
    [replacedBefore],
  )
  return row?.found ?? false
}

/** Nobody is written to at this address any more. */
async function deleteContacts(sql: Sql, digest: string): Promise<number> {
  await sql("delete from mail_recipient where id = $1", [digest])
  return (await sql("delete from channel_contact where digest = $1 returning 1 as one", [digest])).length
}

/**
 * Counts the deliveries that an erasure would erase. `complete` is false if the deadline ended the count: the newest are
 * unknown then.
 */
export async function countErasure(
  { sql, sealingKeys }: { sql: Sql; sealingKeys: SealingKeys },
  plain: PlainSubject,
  deadlineMs: number,
): Promise<{ matching: number; newest?: string[]; complete: boolean }> {
  const endsAt = performance.now() + deadlineMs
  const digestKey = await readDigestKey(sql, sealingKeys)
  const scan = { sql, digestKey, subject: storedSubject(digestKey, plain), createdAt: new Date() }
  let matching = 0
  let newest: string[] = []
  for (let { after } = firstErasurePosition; performance.now() < endsAt; ) {
    const found = await findNamed(scan, after)
    matching += found.matching.length
    newest = [...found.matching.toReversed(), ...newest].slice(0, 5)
    if (found.last) return { matching, newest, complete: true }
    after = found.after
  }
  return { matching, complete: false }
}
