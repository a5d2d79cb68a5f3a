import type { Pool } from "@sitewire/database"

export type StoredToken = {
  hash: Buffer
  /** The hashes of replaced tokens are stored as well. */
  wasReplaced: boolean
}

const statement = `select id, token_sha256, coalesce(token_replaced_at > now() - interval '30 days', false) as replaced
  from connection where id = any($1::text[])`

export async function readTokenHashes(
  pool: Pool,
  connections: string[],
  timeoutMs: number,
): Promise<Map<string, StoredToken>> {
  // `query_timeout` is the driver's time-out, which also closes the connection to Postgres. The time-out that
  // Postgres itself enforces has no effect if the server has vanished.
  const query = { name: "token-hashes", text: statement, values: [connections], query_timeout: timeoutMs }
  const { rows } = await pool.driver.query<{ id: string; token_sha256: Buffer; replaced: boolean }>(query)
  return new Map(
    rows.map(({ id, token_sha256, replaced }) => [id, { hash: token_sha256, wasReplaced: replaced }]),
  )
}
