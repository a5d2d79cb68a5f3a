import type { KeyObject } from "node:crypto"
import {
  clockMarginMs,
  lowestDeliveryId,
  type Subject,
  searchDigestBytes,
  searchKeys,
  timeOfDeliveryId,
} from "@sitewire/contracts"
import { named, type Sql, subjectDigests } from "@sitewire/database"

const rowsAtOnce = 500
const dayMs = 86_400_000

export type ErasureScan = {
  sql: Sql
  /** Of the digests of e-mail addresses. */
  digestKey: KeyObject
  subject: Subject
  createdAt: Date
}

type Found = { matching: string[]; rows: number; last: boolean; after: string }

/**
 * Finds the deliveries about the subject (a person or a site) whose ids are above `after`, of one day at most. `rows`: how many
 * bodies were read: those which have the subject's digest, and those which may contain several addresses.
 *
 * Postgres cannot search the bodies: jsonb rejects \u0000, which a site's name may contain, and lower case depends on the
 * database's locale.
 */
export async function findNamed(scan: ErasureScan, after: string): Promise<Found> {
  const { sql, subject, createdAt } = scan
  // Later events are new purchases. The margin is that of `Erasures.covers`.
  const end = lowestDeliveryId(createdAt.getTime() + clockMarginMs)
  const [next] = await sql<{ id: string }>(
    "select id from delivery where id > $1 and id < $2 order by id limit 1",
    [after, end],
  )
  if (next === undefined) return { matching: [], rows: 0, last: true, after }
  const startMs = timeOfDeliveryId(next.id)
  const dayEnd = lowestDeliveryId((Math.floor(startMs / dayMs) + 1) * dayMs)
  const { column, keys } = searchOf(scan, startMs)
  const rows = await sql<{ id: string; body: Buffer }>(
    ...named(
      `(select id, body from delivery where ${column} = any($keys::bytea[]) and id >= $from and id < $to order by id limit ${rowsAtOnce})
       union all
       (select id, body from delivery where email_digest is null and state <> 'erased' and id >= $from and id < $to
         order by id limit ${rowsAtOnce})
       order by id limit ${rowsAtOnce}`,
      { keys, from: next.id, to: dayEnd < end ? dayEnd : end },
    ),
  )
  const [digest = ""] = Object.values(subject)
  const about = rows
    .filter(({ body }) => subjectDigests(scan.digestKey, body)?.includes(digest))
    .map(({ id }) => id)
  return {
    matching: [...new Set(about)],
    rows: rows.length,
    last: false,
    after: rows.length < rowsAtOnce ? dayEnd : (rows.at(-1)?.id ?? dayEnd),
  }
}

/** What the deliveries of a day have in this column if they name the subject. */
function searchOf({ subject }: ErasureScan, ms: number): { column: string; keys: Buffer[] } {
  if ("email_digest" in subject)
    return { column: "email_digest", keys: [Buffer.from(subject.email_digest, "hex")] }
  const digest = Buffer.from(subject.site_url_sha256, "hex").subarray(0, searchDigestBytes)
  return { column: "site_key", keys: searchKeys(digest, { fromMs: ms, toMs: ms + dayMs }) }
}
