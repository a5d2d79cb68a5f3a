import { type SealingKeys, type Sql, seal, sealContexts, sealingKeyId, unseal } from "@sitewire/database"

type Row = { id: string; secret_id: string; sealed: Buffer }

/** Every table that holds sealed values: its columns of them, the ids of these secrets, and what they are bound to. */
const places = [
  {
    table: "channel",
    columns: { secret_sealed: "secret_id", other_secret_sealed: "other_secret_id" },
    context: ({ id, secret_id }: Row) => sealContexts.signingSecret(id, secret_id),
  },
  {
    table: "connection",
    columns: { token_sealed: "null" },
    context: ({ id }: Row) => sealContexts.connectionToken(id),
  },
]

/** `unopened` names rows whose key is not at hand; they are as they were. */
export type Resealed = { looked: number; resealed: number; unopened: string[] }

/**
 * Seals again with the current key whatever another one sealed, a row at a time. Safe at any time and to repeat: a value
 * that a rotation replaces meanwhile is left alone, as that was sealed by the console's current key. One that a rotation
 * moves to the other column is found there, because all columns of a row are read, and written, at once.
 */
export async function resealAll(sql: Sql, keys: SealingKeys, batch = 500): Promise<Resealed> {
  const done: Resealed = { looked: 0, resealed: 0, unopened: [] }
  for (const { table, columns, context } of places) {
    const names = Object.keys(columns)
    const values = Object.entries(columns).map(([sealed, secretId]) => `(${secretId}, ${sealed})`)
    const read = `select id, value.secret_id, value.sealed
       from (select * from ${table} where id > $1 order by id limit ${batch}) as page
      cross join lateral (values ${values}) as value (secret_id, sealed)
      where value.sealed is not null order by id`
    const write = `update ${table}
        set ${names.map((name) => `${name} = case when ${name} = $2 then $3 else ${name} end`)}
      where id = $1 and $2 in (${names}) returning id`
    let after = ""
    for (let rows = await sql<Row>(read, [after]); rows.length > 0; rows = await sql<Row>(read, [after])) {
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
        done.resealed += (await sql(write, [row.id, row.sealed, again])).length
      }
    }
  }
  return done
}
