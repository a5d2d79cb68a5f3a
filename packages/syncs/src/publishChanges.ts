import type { ConnectionChanged } from "@sitewire/contracts"
import { type Columns, columnValues, defineStatement, type Sql, unnestColumns } from "@sitewire/database"
import type { RowClaim } from "@sitewire/runtime"

export type UnpublishedChange = {
  connection: string
  claimId: string
  /** A scheduler claimed it before and did not finish, so Kafka may append that scheduler's record at any time. */
  wasUnfinished: boolean
  /** Null: the connection was deleted. */
  content: ConnectionChanged | null
}

/** Claims the changes that have waited longest: first those that were never claimed, or have changed again since. */
export const claimChanges = defineStatement<UnpublishedChange, RowClaim>(
  "claim-changes",
  `
with new as materialized (
  select connection_id, claim_id from unpublished_change
   where lease_expires_at is null order by since limit $most for update skip locked
),
repeated as materialized (
  select connection_id, claim_id from unpublished_change
   where lease_expires_at < now()
   order by lease_expires_at limit least($mostRepeated, $most - (select count(*) from new)) for update skip locked
),
oldest as (
  select connection_id, claim_id is not null as was_unfinished from (table new union all table repeated) as claimable
),
claimed as (
  update unpublished_change change
  set claim_id = gen_random_uuid(), lease_expires_at = now() + $leaseMs::float8 * interval '1 millisecond'
  from oldest where change.connection_id = oldest.connection_id
    -- So that the rows are found by their key: Postgres does not know how few they are.
    and change.connection_id = any (array(select connection_id from oldest))
  returning change.connection_id, change.claim_id, oldest.was_unfinished
)
select claimed.connection_id as connection, claim_id as "claimId", was_unfinished as "wasUnfinished",
  case when c.site is not null then json_build_object('connection', c.id, 'site', c.site, 'fence', s.fence,
    'content_sha256', encode(s.content_sha256, 'hex'), 'bytes', s.bytes, 'content_type', s.content_type,
    'stored_at', to_char(s.stored_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as content
from claimed
left join (snapshot s join connection c on c.id = s.connection_id) on s.connection_id = claimed.connection_id`,
)

/** Longer than Kafka needs to append a record that it received before it acknowledged another one. */
const repeatAfter = "interval '30 seconds'"

const columns: Columns<UnpublishedChange> = {
  connection_id: ["text", ({ connection }) => connection],
  claim_id: ["uuid", ({ claimId }) => claimId],
  fence: ["bigint", ({ content }) => content?.fence ?? null],
  was_unfinished: ["boolean", ({ wasUnfinished }) => wasUnfinished],
}
const settle = defineStatement<{ connection: string }>(
  "settle-changes",
  `
with published as materialized (
  select change.connection_id, was_unfinished, change.fence is not distinct from published.fence as is_newest
  from ${unnestColumns(columns, "published")}
  join unpublished_change change using (connection_id, claim_id)
  for update of change skip locked
),
deleted as (
  delete from unpublished_change change using published
  where change.connection_id = published.connection_id and is_newest and not was_unfinished
),
released as (
  update unpublished_change change
  set claim_id = case when was_unfinished and not is_newest then claim_id end,
    lease_expires_at = case when is_newest then now() + ${repeatAfter} end
  from published where change.connection_id = published.connection_id and (was_unfinished or not is_newest)
)
select connection_id as connection from published`,
)

const publishAgain = `
insert into unpublished_change (connection_id, fence, claim_id)
select $1, (select fence from snapshot where connection_id = $1), gen_random_uuid()
on conflict (connection_id) do update set claim_id = excluded.claim_id, lease_expires_at = null`

/**
 * Deletes the rows of changes that were published. A compacted topic must end with the newest content of each connection, whichever
 * records Kafka appended late:
 *
 * - A connection that has changed again is published again.
 * - If an earlier claim was not finished, its record may follow ours, so ours is repeated after a pause.
 * - If another scheduler has claimed the row, our record may have followed a newer one: the newest content is published again.
 */
export async function settleChanges(sql: Sql, changes: readonly UnpublishedChange[]): Promise<void> {
  const settled = await settle(sql, columnValues(columns, changes))
  const known = new Set(settled.map(({ connection }) => connection))
  // One after the other: a statement that locks several rows in another order than `finishRuns` could deadlock.
  for (const { connection } of changes)
    if (!known.has(connection)) await sql(publishAgain, [connection], "publish-change-again")
}

/** For how long the change that has waited longest has not been published, in seconds. 0 if there is none. */
export async function readOldestChange(sql: Sql): Promise<number> {
  const [row] = await sql<{ seconds: number }>(
    "select extract(epoch from clock_timestamp() - since)::float8 as seconds from unpublished_change order by since limit 1",
  )
  return Math.max(0, row?.seconds ?? 0)
}
