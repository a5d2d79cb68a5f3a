import { hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"

/**
 * Adds connections, or gives existing ones a new token. Returns their tokens in the same order. The tokens
 * are not sealed, so the console cannot show these connections' trigger URLs.
 */
export async function addConnections(
  sql: Sql,
  connections: readonly { id: string; source: string }[],
): Promise<string[]> {
  const tokens = connections.map(() => newConnectorToken())
  await sql(
    `insert into connection (id, site, source, token_sha256, token_sealed)
     select id, 'shop.example', source, token_sha256, ''
       from unnest($1::text[], $2::text[], $3::bytea[]) as added (id, source, token_sha256)
     on conflict (id) do update set token_sha256 = excluded.token_sha256`,
    [
      connections.map(({ id }) => id),
      connections.map(({ source }) => source),
      tokens.map(hashConnectorToken),
    ],
  )
  return tokens
}
