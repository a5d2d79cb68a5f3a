import type { KeyObject } from "node:crypto"
import { clockMarginMs, sitePaidMaxAgeMs } from "@sitewire/contracts"
import { readDigestKey, type SealingKeys, type Sql, subjectDigests } from "@sitewire/database"
import { type Channel, channelColumns, type NewDelivery } from "./delivery.ts"

export type LookedUpEvent = {
  /** A delivery of the event is stored. */
  known: boolean
  /** The stored delivery, which is not erased, has another body. */
  differs: boolean
  /** The event names an erased person or site. */
  erased: boolean
  /** The columns of the channel. All are null if the channel is unknown. */
} & (Channel | Record<keyof Channel, null>)

type Row = LookedUpEvent & { read_only: boolean; erasures: string; delivery_id: string | null }

/** SQLSTATE read_only_sql_transaction. */
const readOnlyState = "25006"

// Before an attempt, because its outcome could not be stored. (After a failover, Postgres may be a standby.)
const lookUp = `
select current_setting('transaction_read_only') = 'on' as read_only, (select version from erasure_list) as erasures, stored.delivery_id, channel.id as channel_id, ${channelColumns}
  from unnest($1::text[], $2::text[]) with ordinality as given (event_id, channel_id, position)
  left join channel on channel.id = given.channel_id
  left join lateral (select delivery_id from known_event where known_event.event_id = given.event_id) as stored on true
 order by given.position`

const storedBodies = "select id, body_sha256 from delivery where id = any($1::uuid[]) and state <> 'erased'"

/** What must be known before the first attempts, in the events' order. Fails as a write would if Postgres is read-only. */
export async function lookUpEvents(
  sql: Sql,
  erasures: ErasureList,
  events: readonly NewDelivery[],
): Promise<LookedUpEvent[]> {
  const values = [events.map(({ eventId }) => eventId), events.map(({ channelId }) => channelId)]
  const found = await sql<Row>(lookUp, values, "look-up-events")
  if (found[0]?.read_only)
    throw Object.assign(new Error("cannot store deliveries in a read-only transaction"), {
      code: readOnlyState,
    })
  const known = found.flatMap(({ delivery_id }) => delivery_id ?? [])
  // A statement of its own, because hardly any event is known, and `delivery` has many partitions.
  const stored =
    known.length === 0 ? [] : await sql<{ id: string; body_sha256: Buffer }>(storedBodies, [known])
  const hashes = new Map(stored.map(({ id, body_sha256 }) => [id, body_sha256]))
  const newest = erasures.newest()
  const current = newest?.version === found[0]?.erasures ? newest : await erasures.read()
  return found.map((row, at) => {
    const event = events[at]
    const hash = hashes.get(row.delivery_id ?? "")
    return {
      ...row,
      known: row.delivery_id !== null,
      differs: hash !== undefined && !event?.bodySha256.equals(hash),
      erased: event !== undefined && current?.covers(event.body, event.appendedAt) === true,
    }
  })
}

export type Erasures = {
  version: string
  /**
   * Whether the content names a person or site whose erasure was requested after `recordedAt`, when Kafka stored the content. Errs
   * towards true: it allows `clockMarginMs` for clock skew, and content that is not JSON may name anybody.
   */
  covers(content: Buffer, recordedAt: number): boolean
}

/** How far back erasures are read: they concern events that were published before them, and Kafka has deleted all older ones. */
const relevantMs = sitePaidMaxAgeMs + clockMarginMs

/** The list of erasures as it was read last. */
export function createErasureList(from: { sql: Sql; sealingKeys: SealingKeys }) {
  let newest: Erasures | undefined
  return {
    newest: () => newest,
    async read(): Promise<Erasures> {
      newest = await readErasures(from, new Date(Date.now() - relevantMs))
      return newest
    },
  }
}

export type ErasureList = ReturnType<typeof createErasureList>

type ErasuresRow = { version: string; erased: Record<string, number> }

const erasureList = `
select version, (
  select coalesce(jsonb_object_agg(digest, requested_at_ms), '{}')
    from (select value as digest, extract(epoch from max(created_at)) * 1000 as requested_at_ms
            from job cross join jsonb_each_text(filter)
           where kind = 'erasure' and state <> 'cancelled' and created_at >= $1
           group by value) as subjects) as erased
  from erasure_list`

/** Reads the erasures that were requested since `since` and not cancelled. Rejects if SEALING_KEYS lacks the key of the digests. */
export async function readErasures(
  { sql, sealingKeys }: { sql: Sql; sealingKeys: SealingKeys },
  since: Date,
): Promise<Erasures> {
  const [row] = await sql<ErasuresRow>(erasureList, [since], "read-erasures")
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
