import type { Pool } from "@sitewire/database"

const statement = "select id, token_sha256 from connection where id = any($1::text[])"

/** The token hashes of those connections that exist. Rejects when Postgres has not answered within `timeoutMs`. */
export async function readTokenHashes(
  pool: Pool,
  connections: string[],
  timeoutMs: number,
): Promise<Map<string, Buffer>> {
  // The driver's own time-out, as statement_timeout does not help when the server no longer answers at all. It also
  // drops the connection: one that a failover left hanging would otherwise be used again and again.
  const query = { name: "token-hashes", text: statement, values: [connections], query_timeout: timeoutMs }
  const { rows } = await pool.driver.query<{ id: string; token_sha256: Buffer }>(query)
  return new Map(rows.map((row) => [row.id, row.token_sha256]))
}
