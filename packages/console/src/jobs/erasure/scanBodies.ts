import { clockMarginMs, digestsOf, lowestDeliveryId, type Subject } from "@sitewire/contracts"
import { finalPassAfterMs, type Sql } from "@sitewire/database"

const scanRows = 500
const scanMs = 10_000

// Every body is read, because an index of e-mail addresses would be personal data, too. Postgres cannot parse the bodies:
// jsonb rejects \u0000, which a site's name may contain, and lower case depends on the database's locale.

type Row = { id: string; body: Buffer }

/** Deliveries that are stored later need no scan, because every dispatcher's list of erasures then contains this one. */
const endOf = (createdAt: Date) => createdAt.getTime() + finalPassAfterMs

const about = (subject: Subject, rows: Row[]): string[] => {
  const [digest = ""] = Object.values(subject)
  return rows.filter(({ body }) => digestsOf(body)?.includes(digest)).map(({ id }) => id)
}

/** Reads the next deliveries in the order of their ids, and finds those about the subject (a person or a site). */
export async function scanFrom(sql: Sql, after: string, createdAt: Date, subject: Subject) {
  const rows = await sql<Row>(
    `select id, body from delivery where id > $1 and id < $2 order by id limit ${scanRows}`,
    [after, lowestDeliveryId(endOf(createdAt) + clockMarginMs)],
  )
  return {
    matching: about(subject, rows),
    rows: rows.length,
    last: rows.length < scanRows,
    next: { after: rows.at(-1)?.id ?? after },
  }
}

/** The same for the deliveries that were stored in the next ten seconds, by the clock of Postgres. */
export async function scanStoredSince(sql: Sql, from: Date, createdAt: Date, subject: Subject) {
  const next = new Date(from.getTime() + scanMs)
  const rows = await sql<Row>("select id, body from delivery where stored_at >= $1 and stored_at < $2", [
    from,
    next,
  ])
  return {
    matching: about(subject, rows),
    rows: rows.length,
    last: next.getTime() > endOf(createdAt) + scanMs,
    next: { storedFrom: next },
  }
}
