import type { Sql } from "@sitewire/database"

/**
 * Deletes at most `limit` contents that expired, or were replaced, before the time, and returns how many. Those of
 * connections whose sync is being finished are skipped: a lock on the window keeps `finishRuns` away from the others.
 */
export async function deletePreviousContents(
  sql: Sql,
  { by, before, limit }: { by: "expires_at" | "replaced_at"; before: Date; limit: number },
): Promise<number> {
  return (await sql(statement(by), [before, limit])).length
}

const statement = (column: string) => `
with old as materialized (
  select p.connection_id, p.fence from previous_snapshot p join sync_window w using (connection_id)
  where p.${column} < $1
  order by p.${column} limit $2
  for update of w, p skip locked
),
chunks as (
  delete from snapshot_chunk c using old where c.connection_id = old.connection_id and c.fence = old.fence
)
delete from previous_snapshot p using old where p.connection_id = old.connection_id and p.fence = old.fence
returning 1 as one
`
