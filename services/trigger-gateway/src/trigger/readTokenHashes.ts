import type { Pool } from "@sitewire/database"

const statement = "select id, token_sha256 from connection where id = any($1::text[])"

/** Token hashes of the connections that exist. Rejects if Postgres has not responded within `timeoutMs`. */
export async function readTokenHashes(
  pool: Pool,
  connections: string[],
  timeoutMs: number,
): Promise<Map<string, Buffer>> {
  // This time-out is the driver's and closes the connection too. Postgres's statement_timeout would have no
  // effect if the server has vanished.
  const query = { name: "token-hashes", text: statement, values: [connections], query_timeout: timeoutMs }
  const { rows } = await pool.driver.query<{ id: string; token_sha256: Buffer }>(query)
  return new Map(rows.map((row) => [row.id, row.token_sha256]))
}
