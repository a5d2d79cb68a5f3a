import { readSealingKeys, type Sql, seal, sealContexts } from "@sitewire/database"

/** Adds a channel with a sealed signing secret, or changes the address of an existing channel. */
export async function addChannel(
  { sql, sealingKeys }: { sql: Sql; sealingKeys: string },
  { id, address, secret }: { id: string; address: string; secret: string },
): Promise<void> {
  const secretId = `sec_${id}`
  const sealed = seal(readSealingKeys(sealingKeys), sealContexts.signingSecret(id, secretId), secret)
  await sql(
    `insert into channel (id, address, secret_id, secret_sealed, updated_at) values ($1, $2, $3, $4, now())
     on conflict (id) do update set address = excluded.address`,
    [id, address, secretId, sealed],
  )
}
