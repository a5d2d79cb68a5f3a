import { type SealingKeys, type Sql, seal, sealContexts, sealingKeyId, unseal } from "@sitewire/database"

type Row = { id: string; secret_id: string; sealed: Buffer }

/** Every column that holds sealed values, with what its values are bound to. */
const places = [
  {
    table: "channel",
    column: "secret_sealed",
    secretId: "secret_id",
    context: ({ id, secret_id }: Row) => sealContexts.signingSecret(id, secret_id),
  },
  {
    table: "channel",
    column: "other_secret_sealed",
    secretId: "other_secret_id",
    context: ({ id, secret_id }: Row) => sealContexts.signingSecret(id, secret_id),
  },
  {
    table: "connection",
    column: "token_sealed",
    secretId: "null",
    context: ({ id }: Row) => sealContexts.connectionToken(id),
  },
]

/** `unopened` names rows whose key is not at hand; they are as they were. */
export type Resealed = { looked: number; resealed: number; unopened: string[] }

/**
 * Seals again with the current key whatever another one sealed, a row at a time. Safe at any time and to repeat: a value
 * that a rotation replaces meanwhile is left alone, as that was sealed by the console's current key.
 */
export async function resealAll(sql: Sql, keys: SealingKeys, batch = 500): Promise<Resealed> {
  const done: Resealed = { looked: 0, resealed: 0, unopened: [] }
  for (const place of places) {
    const { table, column, secretId, context } = place
    let after = ""
    for (let rows: Row[] | null = null; rows === null || rows.length === batch; ) {
      rows = await sql<Row>(
        `select id, ${secretId} as secret_id, ${column} as sealed from ${table}
          where id > $1 and ${column} is not null order by id limit ${batch}`,
        [after],
      )
      for (const row of rows) {
        after = row.id
        done.looked += 1
        const key = sealingKeyId(row.sealed)
        if (key === keys.current) continue
        if (!keys.keys.has(key)) {
          done.unopened.push(`${table} ${row.id} (key "${key}")`)
          continue
        }
        const again = seal(keys, context(row), unseal(keys, context(row), row.sealed))
        const changed = await sql(
          `update ${table} set ${column} = $3 where id = $1 and ${column} = $2 returning id`,
          [row.id, row.sealed, again],
        )
        done.resealed += changed.length
      }
    }
  }
  return done
}
