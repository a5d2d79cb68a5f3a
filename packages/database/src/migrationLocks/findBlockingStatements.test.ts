import { expect, test } from "vitest"
import { readMigrations } from "../migrations.ts"
import type { Sql } from "../pool.ts"
import { withEmptyDatabase } from "../withEmptyDatabase.ts"
import { findBlockingStatements } from "./findBlockingStatements.ts"
import { firstRelease, smallTables } from "./tables.ts"

test("no migration since the first release blocks writers of a large table, or locks several tables", async () => {
  await withEmptyDatabase(async (sql, url) => {
    const { migrationDirectories } = await readMigrations()
    const found: string[] = []
    for (const { path, migrationFile } of migrationDirectories) {
      const script = migrationFile.content.value
      if (firstRelease.includes(path)) await sql(script)
      else found.push(...(await findBlockingStatements(url, script)).map((text) => `${path}: ${text}`))
    }
    expect(found).toEqual([])
    const tables = await sql<{ name: string }>("select relname as name from pg_class where relkind = 'r'")
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining([...smallTables]))
  })
}, 60_000)

const blocking: [string, string][] = [
  ["create index big_note_idx on big (note)", 'reads "big" while writers of "big" wait for ShareLock'],
  ["create unique index big_note_key on big (note)", 'reads "big"'],
  [
    "alter table big alter column note set not null",
    'reads "big" while writers of "big" wait for AccessExclusiveLock',
  ],
  ["alter table big add constraint positive check (amount > 0)", 'reads "big"'],
  ["alter table big add constraint one unique (note)", 'reads "big"'],
  ["alter table big add constraint parent foreign key (amount) references other (id)", 'reads "big"'],
  [
    "alter table big add constraint positive check (amount > 0) not valid; alter table big validate constraint positive",
    'reads "big"',
  ],
  [
    "alter table other add column new int; select count(*) from big",
    'reads "big" while writers of "other" wait',
  ],
  ["alter table big alter column amount type bigint", 'rewrites "big"'],
  ["alter table big add column at timestamptz not null default clock_timestamp()", 'rewrites "big"'],
  ["alter table big add column twice int generated always as (amount * 2) stored", 'rewrites "big"'],
  ["cluster big using big_pkey", 'rewrites "big"'],
  ["truncate big", 'rewrites "big"'],
  ["reindex table big", 'rewrites an index of "big"'],
  ["update big set note = 'x'", 'changes rows of "big"'],
  ["delete from big", 'changes rows of "big"'],
  [
    "alter table big add column added text; alter table channel add column added text",
    'locks "big" and "channel" in one transaction',
  ],
]

test.each(blocking)("%s is rejected", async (script, expected) => {
  await withTables(async (_, url) => {
    const [first] = await findBlockingStatements(url, script)
    expect(first).toContain(expected)
  })
})

const harmless = [
  "alter table big add column added text",
  "alter table big add column added text not null default 'none'",
  "alter table big drop column note",
  "alter table big add constraint positive check (amount > 0) not valid",
  "alter table big add constraint parent foreign key (amount) references other (id) not valid",
  "alter table big set (fillfactor = 80); drop index big_amount_idx",
  "create index concurrently big_note_idx on big (note)",
  "create table child (id int primary key, big int); create index on child (big); alter table child add constraint parent foreign key (big) references big (id)",
  "insert into big (id) values (1); alter type mood add value 'calm'",
  "create view seen as select * from big; comment on table big is 'a; b -- c'",
  "create function f() returns int language plpgsql as $$ begin return 1; end $$",
  "create index on channel (address); update channel set address = 'x'",
]

test.each(harmless)("%s is allowed", async (script) => {
  await withTables(async (_, url) => {
    expect(await findBlockingStatements(url, script)).toEqual([])
  })
})

test("a constraint is validated in a migration after the one that adds it", async () => {
  await withTables(async (sql, url) => {
    await sql("alter table big add constraint filled check (note is not null) not valid")
    expect(await findBlockingStatements(url, "alter table big validate constraint filled")).toEqual([])
    expect(await findBlockingStatements(url, "alter table big alter column note set not null")).toEqual([])
  })
})

test("a concurrent index beside another statement is rejected, because it would run in a transaction", async () => {
  await withTables(async (_, url) => {
    const script = "create index concurrently i on big (note); alter table big add column x int"
    await expect(findBlockingStatements(url, script)).rejects.toThrow("a migration of its own")
  })
})

async function withTables(work: (sql: Sql, url: string) => Promise<void>): Promise<void> {
  await withEmptyDatabase(async (sql, url) => {
    await sql("create table other (id int primary key)")
    await sql("create table channel (id int primary key, address text)")
    await sql("create table big (id int primary key, amount int, note text)")
    await sql("create index big_amount_idx on big (amount)")
    await sql("create type mood as enum ('storm')")
    await work(sql, url)
  })
}
