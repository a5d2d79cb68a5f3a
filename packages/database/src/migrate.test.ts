import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { migrate } from "./migrate.ts"
import { readMigrations, readSchema } from "./migrations.ts"
import { openPool, type Sql } from "./pool.ts"
import { everything, withSchemaEngine } from "./schemaEngine.ts"
import { schemaSql } from "./schemaSql.ts"

/** Set by vitest's global setup. This package cannot use the testkit, which stands on it. */
const postgresAddress = process.env.DATABASE_URL ?? ""

test("the migrations make exactly what the schema describes", async () => {
  await withEmptyDatabase(async (migrated, migratedUrl) => {
    await migrate(migratedUrl)
    await withEmptyDatabase(async (described, describedUrl) => {
      await described(await schemaSql(describedUrl, await readSchema()))
      expect(await describe(migrated)).toEqual(await describe(described))
    })
  })
})

test("migrations that run in several places at once are applied once", async () => {
  await withEmptyDatabase(async (sql, url) => {
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])
    const rows = await sql("select migration_name from _prisma_migrations where finished_at is not null")
    expect(applied.flat()).toHaveLength(rows.length)
    expect(rows.length).toBeGreaterThan(0)
    expect(await migrate(url)).toEqual([])
  })
})

test("a migration that Postgres refuses leaves nothing behind, and is applied again once it can be", async () => {
  await withEmptyDatabase(async (sql, url) => {
    await migrate(url)
    // As before the newest migration, and as after it with a statement that failed: its name, and what Postgres said.
    await sql("alter table attempt drop column detail")
    await sql(
      "update _prisma_migrations set finished_at = null, logs = 'refused' where migration_name like '%_attempt_detail'",
    )
    expect(await migrate(url)).toEqual(["20261122000000_attempt_detail"])
    expect(await migrate(url)).toEqual([])
  })
})

test("a migration is one transaction, whatever its texts and comments hold", async () => {
  await withEmptyDatabase(async (sql, url) => {
    const half = "create table first_half (id int); create table second_half (id int references nothing);"
    await expect(applyOne(url, half)).rejects.toThrow("nothing")
    expect(await sql("select to_regclass('first_half')::text as made")).toEqual([{ made: null }])
    const [refused] = await sql("select logs from _prisma_migrations where finished_at is null")
    expect(refused?.logs).toContain("nothing")
  })
  await withEmptyDatabase(async (sql, url) => {
    await applyOne(url, "-- A comment; with a semicolon.\ncreate table kept as select 'a; b' as text;")
    expect(await sql("select text from kept")).toEqual([{ text: "a; b" }])
  })
})

test("a migration does not wait long for a table that somebody reads: all others would wait behind it", async () => {
  await withEmptyDatabase(async (sql, url) => {
    await migrate(url)
    await sql("delete from _prisma_migrations where migration_name like '%_attempt_detail'")
    await sql("alter table attempt drop column detail")
    await sql("begin")
    await sql("select from attempt")
    await expect(migrate(url)).rejects.toThrow("lock timeout")
    await sql("commit")
    expect(await migrate(url)).toEqual(["20261122000000_attempt_detail"])
  })
}, 20_000)

/** Applies a migration of the test's own, as `migrate` applies those of the repository. */
async function applyOne(url: string, script: string): Promise<void> {
  const list = await readMigrations()
  const file = { path: "migration.sql", content: { tag: "ok" as const, value: script } }
  const migrationsList = {
    ...list,
    migrationDirectories: [{ path: "20260101000000_test", migrationFile: file }],
  }
  await withSchemaEngine(url, undefined, (engine) =>
    engine.applyMigrations({ migrationsList, filters: everything }),
  )
}

async function withEmptyDatabase(work: (sql: Sql, url: string) => Promise<void>): Promise<void> {
  const name = `sitewire_test_${randomBytes(6).toString("hex")}`
  const admin = openPool({ url: postgresAddress, size: 1, name: "test" })
  await admin.sql(`create database ${name}`)
  const url = new URL(postgresAddress)
  url.pathname = `/${name}`
  const pool = openPool({ url: url.href, size: 1, name: "test" })
  try {
    await work(pool.sql, url.href)
  } finally {
    await pool.close()
    await admin.sql(`drop database ${name} with (force)`)
    await admin.close()
  }
}

/** Columns, indexes and enum values: all that a Prisma schema can say of a Postgres database. */
async function describe(sql: Sql): Promise<unknown> {
  return {
    columns: await sql(
      `select table_name, column_name, data_type, udt_name, is_nullable, column_default, datetime_precision
         from information_schema.columns
        where table_schema = 'public' and table_name <> '_prisma_migrations' order by 1, 2`,
    ),
    indexes: await sql(
      // Without storage parameters, because a Prisma schema has none.
      `select tablename, indexname, regexp_replace(indexdef, ' WITH [(].*[)]$', '') as indexdef from pg_indexes
        where schemaname = 'public' and tablename <> '_prisma_migrations' order by 1, 2`,
    ),
    enums: await sql(
      "select typname, enumlabel from pg_enum join pg_type on pg_type.oid = enumtypid order by 1, enumsortorder",
    ),
  }
}
