import type { Sql } from "@sitewire/database"

/** Lets keys that are valid for longer than the policy allows expire when it says, whoever has created them. */
export async function limitKeys(sql: Sql, maxAgeMs: number): Promise<void> {
  await sql(
    `update api_key set expires_at = created_at + $1 * interval '1 millisecond'
      where revoked_at is null and (expires_at is null or expires_at > created_at + $1 * interval '1 millisecond')`,
    [maxAgeMs],
  )
}
