import type { KeyObject } from "node:crypto"
import { clockMarginMs } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import { readDigestKey, subjectDigests } from "@sitewire/database"

export type Erasures = {
  /** Of the whole list, whatever part of it was read. */
  version: string
  /**
   * Whether the content names a person or site whose erasure was requested after `recordedAt`, the time at
   * which Kafka stored the content. Errs towards true: it allows `clockMarginMs` for
   * clock skew, and content that is not JSON may name anybody.
   */
  covers(content: Buffer, recordedAt: number): boolean
}

type Row = { version: string; erased: Record<string, number> }

const statement = `
select version, (
  select coalesce(jsonb_object_agg(digest, requested_at_ms), '{}')
    from (select value as digest, extract(epoch from max(created_at)) * 1000 as requested_at_ms
            from job cross join jsonb_each_text(filter)
           where kind = 'erasure' and state <> 'cancelled' and created_at >= $1
           group by value) as subjects) as erased
  from erasure_list`

/**
 * Reads the erasures that were requested since `since` and not cancelled. Rejects if SEALING_KEYS lacks the key of the
 * digests, because nobody could then say whom the erasures concern.
 */
export async function readErasures(
  { sql, sealingKeys }: { sql: Sql; sealingKeys: SealingKeys },
  since: Date,
): Promise<Erasures> {
  const [row] = await sql<Row>(statement, [since], "read-erasures")
  if (!row) throw new Error("the table erasure_list has no row")
  const erased = new Map(Object.entries(row.erased))
  if (erased.size === 0) return { version: row.version, covers: () => false }
  return listErasures(row.version, erased, await readDigestKey(sql, sealingKeys))
}

function listErasures(version: string, erased: ReadonlyMap<string, number>, key: KeyObject): Erasures {
  const never = Number.NEGATIVE_INFINITY
  const newest = [...erased.values()].reduce((latest, requestedAt) => Math.max(latest, requestedAt), never)
  return {
    version,
    covers(content, recordedAt) {
      const earliest = recordedAt - clockMarginMs
      if (newest <= earliest) return false
      const digests = subjectDigests(key, content)
      return digests === null || digests.some((digest) => (erased.get(digest) ?? never) > earliest)
    },
  }
}
