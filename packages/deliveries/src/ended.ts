import type { DeliveryOutcome } from "@sitewire/contracts"
import {
  type Columns,
  columnValues,
  createScanStart,
  defineStatement,
  type Sql,
  unnestColumns,
} from "@sitewire/database"
import type { RowClaim } from "@sitewire/runtime"

/** A step of a statement that ends deliveries, from which their records in Kafka follow. `rows` selects the columns, in their order. */
export const insertEnded = (rows: string) => `recorded as (
  insert into ended_delivery (delivery_id, event_id, channel_id, state, attempts, since, error, status, correlation, traceparent)
  ${rows}
  on conflict do nothing
)`

export type EndedDelivery = {
  id: string
  /** In ISO 8601, with microseconds. */
  endedAt: string
  event: string
  channel: string
  state: DeliveryOutcome["state"]
  attempts: number
  correlation: string
  traceparent: string | null
  /** Null unless it is dead. */
  death: { since: Date; error: string; status: number | null } | null
  /** False: a dispatcher claimed it before, and did not finish. */
  isNew: boolean
}

type EndedRow = Omit<EndedDelivery, "death"> & { since: Date; error: string; status: number | null }

const claim = defineStatement<EndedRow, RowClaim & { ends: number; leases: number }>(
  "claim-ended",
  `
with new as materialized (
  select delivery_id, ended_at, true as is_new from ended_delivery
   where ended_at >= to_timestamp($ends::float8 / 1000) and lease_expires_at is null
   order by ended_at limit $most for update skip locked
), repeated as materialized (
  select delivery_id, ended_at, false as is_new from ended_delivery
   where lease_expires_at >= to_timestamp($leases::float8 / 1000) and lease_expires_at < now()
   order by lease_expires_at limit least($mostRepeated, $most - (select count(*) from new)) for update skip locked
), unpublished as (
  select * from new union all select * from repeated
), claimed as (
  update ended_delivery as ended set lease_expires_at = now() + $leaseMs::float8 * interval '1 millisecond'
    from unpublished
   where ended.delivery_id = unpublished.delivery_id and ended.ended_at = unpublished.ended_at
     -- So that the rows are found by their key: Postgres does not know how few they are.
     and ended.delivery_id = any (array(select delivery_id from unpublished))
  returning ended.*, is_new
)
select delivery_id as id, to_char(ended_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "endedAt", event_id as event, channel_id as channel, state, attempts, since, error, status,
       correlation, traceparent, is_new as "isNew"
  from claimed order by ended_at`,
)

export function createClaimEnded() {
  const ends = createScanStart()
  const leases = createScanStart()
  return async (sql: Sql, wanted: RowClaim): Promise<EndedDelivery[]> => {
    const claimedAt = Date.now()
    const rows = await claim(sql, { ...wanted, ends: ends.next(), leases: leases.next() })
    const oldest = rows.find(({ isNew }) => isNew)
    if (oldest) ends.found(Date.parse(oldest.endedAt))
    const repeated = rows.filter(({ isNew }) => !isNew).length
    // All others whose lease had ended were claimed.
    if (rows.length < wanted.most && repeated < wanted.mostRepeated) leases.found(claimedAt)
    return rows.map(({ since, error, status, ...row }) => ({
      ...row,
      death: row.state === "dead" ? { since, error, status } : null,
    }))
  }
}

const columns: Columns<EndedDelivery> = {
  delivery_id: ["uuid", ({ id }) => id],
  ended_at: ["timestamptz", ({ endedAt }) => endedAt],
}

// A row that is locked is published again when its lease has ended.
const settle = defineStatement(
  "settle-ended",
  `
with published as materialized (
  select delivery_id, ended_at from ${unnestColumns(columns)}
    join ended_delivery using (delivery_id, ended_at) for update of ended_delivery skip locked
)
delete from ended_delivery as ended using published
 where ended.delivery_id = published.delivery_id and ended.ended_at = published.ended_at`,
)

export async function settleEnded(sql: Sql, ended: readonly EndedDelivery[]): Promise<void> {
  await settle(sql, columnValues(columns, ended))
}
