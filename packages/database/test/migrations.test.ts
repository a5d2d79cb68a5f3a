import { readFile } from "node:fs/promises"
import { type FreshDatabase, freshDatabase } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readMigrations } from "../src/migrate.ts"
import { openPool, type Pool } from "../src/pool.ts"
import { findBlockingLocks, smallTables } from "./fixtures/findBlockingLocks.ts"
import { openSchemaEngine } from "./fixtures/schemaEngine.ts"

const filters = { externalTables: [], externalEnums: [] }
const schema = await readFile(new URL("../../../prisma/schema.prisma", import.meta.url), "utf8")

/** A database to which `migrate` has applied all migrations. */
let database: FreshDatabase
let pool: Pool
let engine: Awaited<ReturnType<typeof openSchemaEngine>>
beforeAll(async () => {
  database = await freshDatabase()
  pool = openPool({ url: database.url, size: 1, name: "test" })
  engine = await openSchemaEngine(pool, schema)
})
afterAll(async () => {
  engine?.free()
  await pool?.close()
  await database?.drop()
})

test("Prisma's engine finds the history complete, so that prisma migrate deploy can take over", async () => {
  const migrationDirectories = (await readMigrations()).map(({ name, script }) => ({
    path: name,
    migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value: script } },
  }))
  const lockfile = { path: "migration_lock.toml", content: 'provider = "postgresql"' }
  const migrationsList = { baseDir: "", lockfile, shadowDbInitScript: "", migrationDirectories }
  const history = await engine.diagnoseMigrationHistory({
    migrationsList,
    optInToShadowDatabase: false,
    filters,
  })
  expect(history).toMatchObject({ history: null, editedMigrationNames: [], failedMigrationNames: [] })
})

test("the migrations make exactly what the schema describes", async () => {
  const migrated = await describe()
  const { stdout } = await engine.diff({
    from: { tag: "empty" },
    to: { tag: "schemaDatamodel", files: [{ path: "schema.prisma", content: schema }] },
    script: true,
    exitCode: null,
    filters,
  })
  await emptyDatabase()
  await pool.sql(stdout ?? "")
  expect(migrated).toEqual(await describe())
})

test("no migration after the first blocks writers of a large table, or locks several tables", async () => {
  await emptyDatabase()
  const [first, ...others] = await readMigrations()
  await pool.sql(first?.script ?? "")
  const tables = await pool.sql<{ name: string }>("select relname as name from pg_class where relkind = 'r'")
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining([...smallTables]))
  const found: string[] = []
  for (const { name, script } of others)
    found.push(...(await findBlockingLocks(pool.sql, script, "commit")).map((text) => `${name}: ${text}`))
  expect(found).toEqual([])
})

async function emptyDatabase(): Promise<void> {
  await pool.sql("drop schema public cascade; create schema public")
}

/** Columns, indexes and enum values: all that a Prisma schema can say of a Postgres database. It knows no partitions. */
async function describe(): Promise<unknown> {
  const partitions = "(select relname::text from pg_class where relispartition)"
  return {
    columns: await pool.sql(
      `select table_name, column_name, data_type, udt_name, is_nullable, column_default, datetime_precision
         from information_schema.columns
        where table_schema = 'public' and table_name <> '_prisma_migrations' and table_name <> all (array${partitions})
        order by 1, 2`,
    ),
    indexes: await pool.sql(
      // Without storage parameters, because a Prisma schema has none.
      `select tablename, indexname, replace(regexp_replace(indexdef, ' WITH [(].*[)]$', ''), ' ON ONLY ', ' ON ') as indexdef
         from pg_indexes
        where schemaname = 'public' and tablename <> '_prisma_migrations' and tablename <> all (array${partitions})
        order by 1, 2`,
    ),
    enums: await pool.sql(
      "select typname, enumlabel from pg_enum join pg_type on pg_type.oid = enumtypid order by 1, enumsortorder",
    ),
  }
}
