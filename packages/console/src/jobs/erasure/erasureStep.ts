import { beforeFirstId, subjectSchema } from "@sitewire/contracts"
import { readDigestKey, type Sql } from "@sitewire/database"
import { insertEnded } from "@sitewire/deliveries"
import { deletePreviousContents } from "@sitewire/syncs"
import { z } from "zod"
import type { RunningJob, Step, StepContext } from "../job.ts"
import { lockWaiting } from "../lockWaiting.ts"
import { findNamed } from "./findNamed.ts"

/** `after`: all ids up to it have been read. */
const positionSchema = z.object({ after: z.string() })

export const firstErasurePosition = { after: beforeFirstId }

/**
 * One step of an erasure: finds the deliveries of a day that name the subject, and erases them. No dispatcher stores an event
 * that the erasure covers once the first step has begun: the migration describes `erasure_version_for_storing`.
 *
 * Contents of connections before their last change are stored only to be compared, and may name anybody: each step
 * deletes some, until there is none.
 */
export async function erasureStep(job: RunningJob, { sql, sealingKeys }: StepContext): Promise<Step> {
  const { after } = positionSchema.parse(job.position)
  if (after === beforeFirstId) await sql("select wait_for_storing()")
  const subject = subjectSchema.parse(job.filter)
  const digestKey = await readDigestKey(sql, sealingKeys)
  const scanned = await findNamed({ sql, digestKey, subject, createdAt: job.createdAt }, after)
  const erased = scanned.matching.length === 0 ? noneErased : await erase(sql, scanned.matching, job.id)
  const contents = await deletePreviousContents(sql, {
    by: "replaced_at",
    before: new Date(),
    limit: contentsPerStep,
  })
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

const noneErased = { deliveries_erased: 0, excerpts_erased: 0 }

async function erase(sql: Sql, ids: string[], job: string): Promise<typeof noneErased> {
  // Deleted after the deliveries are locked, because a resend may insert such a row until then.
  await lockWaiting(sql, ids)
  await sql(
    `with pending as (
       select * from delivery where id = any($1::uuid[]) and state = 'pending' for update
     ), ${insertEnded(`
       select id, event_id, channel_id, 'erased'::delivery_state, attempts, null, null, null, correlation, null from pending`)}
     select from pending`,
    [ids],
  )
  // The body's hash is erased, too. Somebody who knows all other fields of the body could use the hash to
  // confirm a guess of the e-mail address.
  const deliveries = await sql(
    `update delivery
        set body = '', body_sha256 = '', state = 'erased', finished_at = now(), last_job = $2,
            reference_key = null, site_key = null, email_digest = null
      where id = any($1::uuid[]) and state <> 'erased'
      returning id`,
    [ids, job],
  )
  await sql("delete from waiting_delivery where delivery_id = any($1::uuid[])", [ids])
  // A partner's response may repeat the body. The first statement has locked the deliveries and so waited for
  // attempts that were being recorded. This statement therefore finds these attempts, too.
  const excerpts = await sql(
    `update attempt set response_excerpt = null
      where delivery_id = any($1::uuid[]) and response_excerpt is not null
      returning number`,
    [ids],
  )
  // The beginning of a signature could confirm a guess of the body.
  await sql(
    "update attempt set request_headers = null where delivery_id = any($1::uuid[]) and request_headers is not null",
    [ids],
  )
  return { deliveries_erased: deliveries.length, excerpts_erased: excerpts.length }
}
