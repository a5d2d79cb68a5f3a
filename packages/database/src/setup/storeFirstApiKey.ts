import { allRoles, sha256 } from "@sitewire/contracts"
import type { Sql } from "../pool.ts"

/**
 * Stores an API key that the operator has generated, with all rights, and its audit entry. Changes nothing if the key is known, so a revoked
 * key stays revoked when the setup job runs again.
 */
export async function storeFirstApiKey(sql: Sql, key: string): Promise<{ stored: boolean }> {
  const hash = sha256(key)
  const rows = await sql(
    `with stored as (
       insert into api_key (id, name, key_sha256, scopes) values ('key_' || $1, 'first key', $2, $3)
       on conflict (key_sha256) do nothing returning id, name, scopes
     )
     insert into audit_entry (id, key_id, key_name, operation, target_kind, target_id, changes, request_id)
     select 'aud_' || $1, 'setup', 'setup job', 'createApiKey', 'key', id,
            jsonb_build_object('name', jsonb_build_object('old', null, 'new', name),
                               'scopes', jsonb_build_object('old', null, 'new', scopes)), ''
       from stored returning 1 as one`,
    [hash.toString("hex").slice(0, 20), hash, allRoles],
  )
  return { stored: rows.length > 0 }
}
