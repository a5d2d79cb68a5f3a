import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { migrate } from "./migrate.ts"
import { readSchema } from "./migrations.ts"
import { openPool, type Sql } from "./pool.ts"
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
      `select tablename, indexname, indexdef from pg_indexes
        where schemaname = 'public' and tablename <> '_prisma_migrations' order by 1, 2`,
    ),
    enums: await sql(
      "select typname, enumlabel from pg_enum join pg_type on pg_type.oid = enumtypid order by 1, enumsortorder",
    ),
  }
}
