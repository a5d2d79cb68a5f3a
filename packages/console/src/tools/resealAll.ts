import {
  named,
  type SealingKeys,
  type Sql,
  seal,
  sealedTables,
  sealingKeyId,
  unseal,
} from "@sitewire/database"

type Row = { id: string; secret: string; sealed: Buffer }

/** `unopened` lists values that were left unchanged, because the key that sealed them is missing. */
export type Resealed = { scanned: number; resealed: number; unopened: string[] }

/**
 * Seals values again with the current key if another key has sealed them. Can run while the console runs, and
 * can be repeated. If a rotation replaces a value meanwhile, the new value is sealed with the current key
 * already. If a rotation moves a value to the other column, the update finds it, because the update compares
 * all columns of the row.
 */
export async function resealAll(sql: Sql, keys: SealingKeys, batch = 500): Promise<Resealed> {
  const done: Resealed = { scanned: 0, resealed: 0, unopened: [] }
  for (const { table, columns, context } of sealedTables) {
    const names = Object.keys(columns)
    const values = Object.entries(columns).map(([sealed, secret]) => `(${secret}, ${sealed})`)
    const read = `select id, value.secret, value.sealed
       from (select * from ${table} where id > $1 order by id limit ${batch}) as page
      cross join lateral (values ${values}) as value (secret, sealed)
      where value.sealed is not null order by id`
    const write = `update ${table}
        set ${names.map((name) => `${name} = case when ${name} = $before then $after else ${name} end`)}
      where id = $id and $before in (${names}) returning id`
    let after = ""
    for (let rows = await sql<Row>(read, [after]); rows.length > 0; rows = await sql<Row>(read, [after])) {
      for (const row of rows) {
        after = row.id
        done.scanned += 1
        const key = sealingKeyId(row.sealed)
        if (key === keys.current) continue
        if (!keys.keys.has(key)) {
          done.unopened.push(`${table} ${row.id} (key "${key}")`)
          continue
        }
        const name = context(row.id, row.secret)
        const again = seal(keys, name, unseal(keys, name, row.sealed))
        done.resealed += (await sql(...named(write, { id: row.id, before: row.sealed, after: again }))).length
      }
    }
  }
  return done
}
