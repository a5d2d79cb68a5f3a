import { type FreshDatabase, freshDatabase } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openPool, type Pool } from "../src/pool.ts"
import { findBlockingLocks } from "./fixtures/findBlockingLocks.ts"

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = openPool({ url: database.url, size: 1, name: "test" })
  await pool.sql(`
    create table other (id int primary key);
    create table big (id int primary key, amount int, note text);
    create index big_amount_idx on big (amount);
    create type mood as enum ('storm')`)
})
afterAll(async () => {
  await pool?.close()
  await database?.drop()
})

const find = (script: string) => findBlockingLocks(pool.sql, script, "rollback")

test.each([
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
])("%s is rejected", async (script, expected) => {
  expect((await find(script)).join("\n")).toContain(expected)
})

test.each([
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
])("%s is allowed", async (script) => {
  expect(await find(script)).toEqual([])
})

test("a constraint is validated in a migration after the one that adds it", async () => {
  const apply = (script: string) => findBlockingLocks(pool.sql, script, "commit")
  await apply("alter table big add constraint filled check (note is not null) not valid")
  expect(await apply("alter table big validate constraint filled")).toEqual([])
  expect(await apply("alter table big alter column note set not null")).toEqual([])
})
