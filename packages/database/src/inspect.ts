import { migrationNames } from "./migrationNames.ts"
import { openPool, type Sql } from "./pool.ts"
import { type SealingKeys, unseal } from "./seal.ts"
import { sealContexts } from "./sealContexts.ts"

export { readSealingKeys } from "./seal.ts"

export type MigrationState = {
  /** Of this version, and not applied. */
  missing: string[]
  /** Applied, and not of this version. */
  unknown: string[]
}

export type UsedSealingKey = { id: string; values: number; sample: SealedSample }

type SealedSample = { kind: "channel" | "connection"; row: string; secret: string | null; sealed: Buffer }

/** What `sitewire doctor` reads. Changes nothing, and needs no Prisma client. */
export type DatabaseInspection = {
  /** Rejects if the database cannot be used. */
  version(): Promise<string>
  clock(): Promise<Date>
  migrations(): Promise<MigrationState>
  usedSealingKeys(): Promise<UsedSealingKey[]>
  close(): Promise<void>
}

export function inspectDatabase(url: string): DatabaseInspection {
  const { sql, close } = openPool({
    url,
    size: 1,
    name: "sitewire-doctor",
    statementTimeoutMs: 10_000,
    connectTimeoutMs: 3_000,
  })
  return {
    version: async () => String((await sql("show server_version"))[0]?.server_version),
    clock: async () => new Date(String((await sql("select clock_timestamp()::text as now"))[0]?.now)),
    migrations: () => readMigrationState(sql),
    usedSealingKeys: () => readUsedSealingKeys(sql),
    close,
  }
}

async function readMigrationState(sql: Sql): Promise<MigrationState> {
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

const sealedValues = `
select ${keyId("secret_sealed")} as key, 'channel' as kind, id as row, secret_id as secret, secret_sealed as sealed from channel
union all
select ${keyId("other_secret_sealed")}, 'channel', id, other_secret_id, other_secret_sealed from channel
 where other_secret_sealed is not null
union all
select ${keyId("token_sealed")}, 'connection', id, null, token_sealed from connection`

async function readUsedSealingKeys(sql: Sql): Promise<UsedSealingKey[]> {
  const rows = await sql<SealedSample & { key: string; values: string }>(
    `select distinct on (key) key, kind, "row", secret, sealed, count(*) over (partition by key) as values
       from (${sealedValues}) as value order by key`,
  )
  return rows.map(({ key, values, ...sample }) => ({ id: key, values: Number(values), sample }))
}

/** Rejects with the reason if the sample cannot be opened. */
export function openSample(keys: SealingKeys, { sample }: UsedSealingKey): void {
  const { kind, row, secret, sealed } = sample
  const context =
    kind === "channel" ? sealContexts.signingSecret(row, secret ?? "") : sealContexts.connectionToken(row)
  unseal(keys, context, sealed)
}
