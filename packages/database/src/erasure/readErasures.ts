import type { KeyObject } from "node:crypto"
import { clockMarginMs } from "@sitewire/contracts"
import { readDigestKey, subjectDigests } from "../digestKey.ts"
import type { Sql } from "../pool.ts"
import type { SealingKeys } from "../seal.ts"

export type Erasures = {
  /** Changes when the list changes. */
  version: string
  /**
   * Whether the content names a person or site whose erasure was requested after `recordedAt`, the time at
   * which Kafka stored the content. Errs towards true: it allows `clockMarginMs` for
   * clock skew, and content that is not JSON may name anybody.
   */
  covers(content: Buffer, recordedAt: number): boolean
}

type Row = { version: string; erased: Record<string, number> | null }

const statement = `
with requested as (
  select id, filter, created_at from job
   where kind = 'erasure' and state <> 'cancelled' and created_at >= $1
), listed as (
  select coalesce(md5(string_agg(id, ',' order by id)), 'none') as version from requested
)
select version,
       case when version is distinct from $2 then (
         select coalesce(jsonb_object_agg(digest, requested_at_ms), '{}')
           from (select value as digest, extract(epoch from max(created_at)) * 1000 as requested_at_ms
                   from requested, jsonb_each_text(filter)
                  group by value) as subjects
       ) end as erased
  from listed`

/**
 * Reads the erasures that were requested since `since` and not cancelled. Returns `known`, the result of an
 * earlier call, if the list has not changed since. Rejects if SEALING_KEYS lacks the key of the digests, because nobody
 * could then say whom the erasures concern.
 */
export async function readErasures(
  { sql, sealingKeys }: { sql: Sql; sealingKeys: SealingKeys },
  since: Date,
  known?: Erasures,
): Promise<Erasures> {
  const [row] = await sql<Row>(statement, [since, known?.version ?? null], "read-erasures")
  if (row && known && row.erased === null) return known
  if (!row?.erased) throw new Error("the statement that reads erasures returned no list")
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
