import type { Pool } from "@sitewire/database"

const statement = "select id, token_sha256 from connection where id = any($1::text[])"

export async function readTokenHashes(
  pool: Pool,
  connections: string[],
  timeoutMs: number,
): Promise<Map<string, Buffer>> {
  // `query_timeout` is the driver's time-out, which also closes the connection to Postgres. The time-out that
  // Postgres itself enforces has no effect if the server has vanished.
  const query = { name: "token-hashes", text: statement, values: [connections], query_timeout: timeoutMs }
  const { rows } = await pool.driver.query<{ id: string; token_sha256: Buffer }>(query)
  return new Map(rows.map((row) => [row.id, row.token_sha256]))
}
