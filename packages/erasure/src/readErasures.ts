import { clockMarginMs } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { digestsOf } from "./subject.ts"

/** What was asked to be erased. */
export type Erasures = {
  /** Equal as long as the list is. */
  version: string
  /**
   * Whether a record with this content names a person or a site whose erasure was asked for at `recordedAt` or later
   * (milliseconds since the epoch; the record's timestamp). The two times come from clocks that may differ by
   * `clockMarginMs`, and in doubt the erasure was later. A record that cannot be read may name anybody. Nothing is
   * hashed for a record that is newer than all erasures.
   */
  covers(content: Buffer, recordedAt: number): boolean
}

type Row = { version: string; erased: Record<string, number> | null }

// The digests are sent only where the list has changed.
const statement = `
with asked as (
  select id, filter, created_at from job
   where kind = 'erasure' and state <> 'cancelled' and created_at >= $1
), listed as (
  select coalesce(md5(string_agg(id, ',' order by id)), 'none') as version from asked
)
select version,
       case when version is distinct from $2 then (
         select coalesce(jsonb_object_agg(digest, asked_at_ms), '{}')
           from (select value as digest, extract(epoch from max(created_at)) * 1000 as asked_at_ms
                   from asked, jsonb_each_text(filter)
                  group by value) as subjects
       ) end as erased
  from listed`

/**
 * Reads the erasures that were asked for at `since` or later and not cancelled. Returns `known` where it is still the
 * whole list. Rejects with the driver's error.
 */
export async function readErasures(sql: Sql, since: Date, known?: Erasures): Promise<Erasures> {
  const [row] = await sql<Row>(statement, [since, known?.version ?? null], "read-erasures")
  if (row && known && row.erased === null) return known
  if (!row?.erased) throw new Error("the statement that reads erasures returned no list")
  return listErasures(row.version, new Map(Object.entries(row.erased)))
}

function listErasures(version: string, erased: ReadonlyMap<string, number>): Erasures {
  const never = Number.NEGATIVE_INFINITY
  const newest = [...erased.values()].reduce((latest, askedAt) => Math.max(latest, askedAt), never)
  return {
    version,
    covers(content, recordedAt) {
      const earliest = recordedAt - clockMarginMs
      if (newest <= earliest) return false
      const digests = digestsOf(content)
      return digests === null || digests.some((digest) => (erased.get(digest) ?? never) > earliest)
    },
  }
}
