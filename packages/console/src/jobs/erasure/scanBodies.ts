import { clockMarginMs, digestsOf, lowestDeliveryId, type Subject } from "@sitewire/contracts"
import { finalPassAfterMs, type Sql } from "@sitewire/database"

const scanRows = 500

/**
 * Reads the next deliveries, and finds those whose bodies are about the subject (a person or a site). Every
 * body is read, because an index of e-mail addresses would be personal data, too. Postgres cannot parse the
 * bodies: jsonb rejects \u0000, which a site's name may contain, and lower case depends on the database's
 * locale.
 */
export async function scanBodies(sql: Sql, after: string, createdAt: Date, subject: Subject) {
  // Deliveries that are created later need no scan, because every dispatcher's list of erasures then contains
  // this one.
  const until = lowestDeliveryId(createdAt.getTime() + finalPassAfterMs + clockMarginMs)
  const rows = await sql<{ id: string; body: Buffer }>(
    `select id, body from delivery where id > $1 and id < $2 order by id limit ${scanRows}`,
    [after, until],
  )
  const [digest = ""] = Object.values(subject)
  return {
    matching: rows.filter(({ body }) => digestsOf(body)?.includes(digest)).map(({ id }) => id),
    rows: rows.length,
    through: rows.at(-1)?.id ?? after,
    last: rows.length < scanRows,
  }
}
