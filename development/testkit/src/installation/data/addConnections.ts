import { hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import { readSealingKeys, type Sql, seal, sealContexts } from "@sitewire/database"

/**
 * Adds connections, or gives existing ones a new token. Returns their tokens in the same order. The tokens
 * are not sealed, so the console cannot show these connections' trigger URLs.
 */
export async function addConnections(
  { sql, sealingKeys }: { sql: Sql; sealingKeys: string },
  connections: readonly { id: string; source: string }[],
): Promise<string[]> {
  const tokens = connections.map(() => newConnectorToken())
  const keys = readSealingKeys(sealingKeys)
  await sql(
    `insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed)
     select id, id || '.shop.example', source, token_sha256, '', secret
       from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) as added (id, source, token_sha256, secret)
     on conflict (id) do update set token_sha256 = excluded.token_sha256`,
    [
      connections.map(({ id }) => id),
      connections.map(({ source }) => source),
      tokens.map(hashConnectorToken),
      connections.map(({ id }) => seal(keys, sealContexts.connectionSecret(id), `secret of ${id}`)),
    ],
  )
  return tokens
}
