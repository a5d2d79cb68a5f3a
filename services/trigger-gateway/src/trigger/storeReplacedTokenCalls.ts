import type { Pool } from "@sitewire/database"
import type { ReplacedTokenCalls } from "./countReplacedTokens.ts"

/**
 * Adds the calls to the replaced tokens among these. The others have no row. Rows are locked in one order, because
 * other gateways add calls of the same tokens.
 */
const statement = `
with given as materialized (
  select * from unnest($1::text[], $2::bytea[], $3::bigint[], $4::timestamptz[]) as t (connection_id, hash, calls, last_at)
),
replaced as materialized (
  select r.connection_id, r.token_sha256, given.calls, given.last_at
  from given join replaced_token r on r.connection_id = given.connection_id and r.token_sha256 = given.hash
  order by r.connection_id, r.token_sha256
  for update of r
)
update replaced_token r set
  calls = r.calls + replaced.calls,
  last_called_at = greatest(r.last_called_at, least(replaced.last_at, clock_timestamp()))
from replaced
where r.connection_id = replaced.connection_id and r.token_sha256 = replaced.token_sha256`

export async function storeReplacedTokenCalls(
  pool: Pool,
  calls: readonly ReplacedTokenCalls[],
  timeoutMs: number,
): Promise<void> {
  const values = [
    calls.map(({ connection }) => connection),
    calls.map(({ hash }) => hash),
    calls.map((call) => call.calls),
    calls.map(({ lastAt }) => new Date(lastAt)),
  ]
  const query = { name: "replaced-token-calls", text: statement, values, query_timeout: timeoutMs }
  await pool.driver.query(query)
}
