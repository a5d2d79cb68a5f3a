import type { DatabaseAccess } from "./login.ts"
import { migrationNames } from "./migrationNames.ts"
import { openPool, type Sql } from "./pool.ts"
import { type SealingKeys, unseal } from "./seal.ts"
import { sealedTables } from "./sealedTables.ts"

export { readSealingKeys } from "./seal.ts"

export type UsedSealingKey = { id: string; values: number; sample: SealedSample }

type SealedSample = { table: string; row: string; secret: string; sealed: Buffer }

export type DatabaseInspection = ReturnType<typeof inspectDatabase>

/** What `sitewire doctor` reads. Changes nothing, and needs no Prisma client. */
export function inspectDatabase(access: DatabaseAccess) {
  const { sql, close } = openPool({
    ...access,
    size: 1,
    name: "sitewire-doctor",
    statementTimeoutMs: 10_000,
    connectTimeoutMs: 3_000,
  })
  return {
    /** Rejects if the database cannot be used. */
    version: async () => String((await sql("show server_version"))[0]?.server_version),
    clock: async () => new Date(String((await sql("select clock_timestamp()::text as now"))[0]?.now)),
    migrations: () => readMigrationState(sql),
    usedSealingKeys: () => readUsedSealingKeys(sql),
    close,
  }
}

/** `missing`: of this version, and not applied. `unknown`: applied, and not of this version. */
async function readMigrationState(sql: Sql) {
  const own = await migrationNames()
  const [{ exists } = { exists: false }] = await sql(
    "select to_regclass('_prisma_migrations') is not null as exists",
  )
  const rows = exists
    ? await sql<{ name: string }>(
        "select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null",
      )
    : []
  const applied = rows.map(({ name }) => name)
  return {
    missing: own.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !own.includes(name)),
  }
}

const keyId = (column: string) =>
  `convert_from(substring(${column} from 3 for get_byte(${column}, 1)), 'UTF8')`

const sealedValues = sealedTables
  .flatMap(({ table, columns }) =>
    Object.entries(columns).map(([column, secret]) => ({ table, column, secret })),
  )
  .map(
    ({ table, column, secret }) =>
      `select ${keyId(column)} as key, '${table}' as "table", id as "row", ${secret} as secret, ${column} as sealed
         from ${table} where ${column} is not null`,
  )
  .join(" union all ")

async function readUsedSealingKeys(sql: Sql): Promise<UsedSealingKey[]> {
  const rows = await sql<SealedSample & { key: string; values: string }>(
    `select distinct on (key) key, "table", "row", secret, sealed, count(*) over (partition by key) as values
       from (${sealedValues}) as value order by key`,
  )
  return rows.map(({ key, values, ...sample }) => ({ id: key, values: Number(values), sample }))
}

/** Rejects with the reason if the sample cannot be opened. */
export function openSample(keys: SealingKeys, { sample }: UsedSealingKey): void {
  const { row, secret, sealed } = sample
  const context = sealedTables.find(({ table }) => table === sample.table)?.context(row, secret)
  if (context === undefined) throw new Error(`no values of ${sample.table} are sealed`)
  unseal(keys, context, sealed)
}
