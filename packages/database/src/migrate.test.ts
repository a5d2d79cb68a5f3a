import { expect, test } from "vitest"
import { type BusyRetry, migrate } from "./migrate.ts"
import { readMigrations, readSchema } from "./migrations.ts"
import { openPool, type Sql } from "./pool.ts"
import { everything, withSchemaEngine } from "./schemaEngine.ts"
import { schemaSql } from "./schemaSql.ts"
import { withEmptyDatabase } from "./withEmptyDatabase.ts"

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
    await expect(migrate(url, { attempts: 1 })).rejects.toThrow("lock timeout")
    await sql("commit")
    expect(await migrate(url)).toEqual(["20261122000000_attempt_detail"])
  })
}, 20_000)

test("a migration that met a table in use is tried again, and those who waited behind it go first", async () => {
  await withEmptyDatabase(async (_, url) => {
    await migrate(url, { migrations: await own({ "0_tables": "create table busy (id int)" }) })
    const migrations = await own({
      "0_tables": "create table busy (id int)",
      "1_column": "alter table busy add column added int",
    })
    const reader = openPool({ url, size: 1, name: "test" })
    await reader.sql("begin")
    await reader.sql("select from busy")
    const waits: string[] = []
    const onBusy = (error: Error) => {
      waits.push(error.message)
      void reader.sql("commit")
    }
    expect(await migrate(url, { migrations, pauseMs: 100, onBusy })).toEqual(["1_column"])
    expect(waits).toEqual([expect.stringContaining("lock timeout")])
    await reader.close()
  })
}, 20_000)

test("a migration that a deadlock ended is tried again", async () => {
  await withEmptyDatabase(async (sql, url) => {
    const tables = { "0_tables": "create table one (id int); create table other (id int)" }
    await migrate(url, { migrations: await own(tables) })
    const columns = "alter table one add column added int; alter table other add column added int"
    const migrations = await own({ ...tables, "1_columns": columns })
    // The migration detects the deadlock: it waits first, and the service's detection is late.
    const [{ name } = { name: "" }] = await sql<{ name: string }>("select current_database() as name")
    await sql(`alter database "${name}" set deadlock_timeout = '2500ms'`)
    const service = openPool({ url, size: 1, name: "test" })
    await service.sql("set deadlock_timeout = '1min'")
    await service.sql("begin")
    await service.sql("select from other")
    const busy: [string, BusyRetry][] = []
    const migrating = migrate(url, {
      migrations,
      attempts: 3,
      pauseMs: 100,
      onBusy: (error, retry) => busy.push([error.message, retry]),
    })
    await waitForLock(sql)
    await service.sql("select from one")
    await service.sql("commit")
    expect(await migrating).toEqual(["1_columns"])
    expect(busy).toEqual([
      [expect.stringContaining("write conflict"), { attempt: 1, attempts: 3, pauseMs: 100 }],
    ])
    await service.close()
  })
}, 20_000)

test("an index is created concurrently, also by several at once, while a transaction is open", async () => {
  await withEmptyDatabase(async (sql, url) => {
    await migrate(url, { migrations: await own({ "0_tables": large }) })
    const migrations = await own({
      "0_tables": large,
      "1_first": "-- The index of other.\ncreate index concurrently large_other_idx on large (other)",
      "2_second": "alter table large add column third int",
    })
    const writer = openPool({ url, size: 1, name: "test" })
    await writer.sql("begin")
    await writer.sql("insert into large values (1, 1)")
    const applying = Promise.all([migrate(url, { migrations }), migrate(url, { migrations })])
    await expect.poll(() => sql("select from pg_index where not indisvalid")).toHaveLength(1)
    // Writers do not wait for the index.
    await sql("insert into large values (2, 2)")
    await writer.sql("commit")
    expect((await applying).flat()).toEqual(["1_first", "2_second"])
    expect(await sql("select from pg_index where not indisvalid")).toEqual([])
    await writer.close()
  })
}, 20_000)

test("an index whose creation failed or was killed is created anew", async () => {
  await withEmptyDatabase(async (sql, url) => {
    await migrate(url, { migrations: await own({ "0_tables": large }) })
    await sql("insert into large values (1), (1)")
    const migrations = await own({
      "0_tables": large,
      "1_unique": "create unique index concurrently large_id_idx on large (id)",
    })
    await expect(migrate(url, { migrations })).rejects.toThrow(/duplicate|unique/)
    expect(await sql("select from pg_index where not indisvalid")).toHaveLength(1)
    await sql("delete from large where ctid = '(0,1)'")
    // As after a kill: no log.
    await sql("update _prisma_migrations set logs = null")
    expect(await migrate(url, { migrations })).toEqual(["1_unique"])
    expect(await sql("select from pg_index where not indisvalid")).toEqual([])
    expect(await migrate(url, { migrations })).toEqual([])
  })
}, 20_000)

const large = "create table large (id int, other int)"

/** Waits until a statement waits for the lock of a table. */
async function waitForLock(sql: Sql): Promise<void> {
  const waiting =
    "select from pg_locks where not granted and relation is not null and database = (select oid from pg_database where datname = current_database())"
  await expect.poll(async () => (await sql(waiting)).length, { interval: 20, timeout: 10_000 }).toBe(1)
}

/** Migrations of the test's own, in place of those of the repository. */
async function own(scripts: Record<string, string>) {
  const migrationDirectories = Object.entries(scripts).map(([path, value]) => ({
    path,
    migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value } },
  }))
  return { ...(await readMigrations()), migrationDirectories }
}

/** Applies a migration of the test's own, as `migrate` applies those of the repository. */
async function applyOne(url: string, script: string): Promise<void> {
  const migrationsList = await own({ "20260101000000_test": script })
  await withSchemaEngine(url, undefined, (engine) =>
    engine.applyMigrations({ migrationsList, filters: everything }),
  )
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
