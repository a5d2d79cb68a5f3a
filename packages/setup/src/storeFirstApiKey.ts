import { sha256 } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"

/**
 * Stores an API key that the operator has generated, with all rights. Changes nothing if the key is known, so a revoked
 * key stays revoked when the setup job runs again.
 */
export async function storeFirstApiKey(sql: Sql, key: string): Promise<{ stored: boolean }> {
  const hash = sha256(key)
  const rows = await sql(
    `insert into api_key (id, name, key_sha256, scopes) values ($1, 'first key', $2, array['operate'])
     on conflict (key_sha256) do nothing returning id`,
    [`key_${hash.toString("hex").slice(0, 20)}`, hash],
  )
  return { stored: rows.length > 0 }
}
