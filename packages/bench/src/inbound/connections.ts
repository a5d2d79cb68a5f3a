import { hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"

/** Makes connections with idle windows and returns the paths of their addresses, which hold the tokens. */
export async function makeConnections(sql: Sql, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => `bench-${at}`)
  const tokens = ids.map(() => newConnectorToken())
  await sql(
    `insert into connection (id, site, source, token_sha256, token_sealed)
     select id, 'shop.example', 'https://partner.example/' || id, hash, ''
       from unnest($1::text[], $2::bytea[]) as t (id, hash)
     on conflict (id) do update set token_sha256 = excluded.token_sha256`,
    [ids, tokens.map(hashConnectorToken)],
  )
  await sql("insert into sync_window (connection_id) select unnest($1::text[]) on conflict do nothing", [ids])
  await sql("vacuum analyze connection")
  return ids.map((id, at) => `/connectors/hook/${id}/${tokens[at]}/`)
}
