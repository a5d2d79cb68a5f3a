import { readFile } from "node:fs/promises"
import type { Sql } from "@sitewire/database"
import { expect, test } from "vitest"
import { openTransaction } from "../test/fixtures/openTransaction.ts"
import { addConnections, emptyDatabase } from "../test/fixtures/windows.ts"
import { claimChanges, readOldestChange, settleChanges } from "./publishChanges.ts"

const lease = { most: 10, mostRepeated: 10, leaseMs: 30_000 }
const oneMinute = "interval '1 minute'"

/** As `finishRuns` does it for a changed content. */
const store = (sql: Sql, connection: string, fence: number) =>
  sql(
    `with stored as (
       insert into snapshot (connection_id, fence, content_sha256, bytes, stored_at)
       values ($1::text, $2::bigint, sha256('text'), 3, '2026-03-01T12:00:00Z')
       on conflict (connection_id) do update set fence = excluded.fence
     )
     insert into unpublished_change (connection_id, fence) values ($1::text, $2::bigint)
     on conflict (connection_id) do update set fence = excluded.fence`,
    [connection, fence],
  )

const endLeases = (sql: Sql) =>
  sql(`update unpublished_change set lease_expires_at = lease_expires_at - ${oneMinute}`)

async function stored(...connections: string[]) {
  const it = await emptyDatabase()
  await addConnections(it.sql, connections)
  for (const connection of connections) await store(it.sql, connection, 1)
  const claim = async () => await claimChanges(it.sql, lease)
  const fences = async () =>
    (await claim()).map(({ connection, content }) => [connection, content?.fence ?? null])
  return { ...it, claim, fences }
}

test("changes are claimed once, oldest first, with their content, and not claimed again once they are settled", async () => {
  const { sql, claim } = await stored("a", "b", "c")
  await sql(`update unpublished_change set since = since - ${oneMinute} where connection_id = 'c'`)
  expect(await readOldestChange(sql)).toBeGreaterThan(59)
  const [oldest, ...more] = await claimChanges(sql, { ...lease, most: 1 })
  expect(oldest).toMatchObject({
    connection: "c",
    content: {
      site: "shop.example",
      fence: 1,
      bytes: 3,
      content_type: null,
      stored_at: "2026-03-01T12:00:00.000Z",
    },
  })
  expect(more).toEqual([])
  const rest = await claim()
  expect(rest.map(({ connection }) => connection).toSorted()).toEqual(["a", "b"])
  if (oldest) await settleChanges(sql, [oldest, ...rest])
  await endLeases(sql)
  expect(await claim()).toEqual([])
  expect(await readOldestChange(sql)).toBe(0)
})

test("no other scheduler claims a connection that changes while it is published, and then the newest content is claimed", async () => {
  const { sql, claim, fences } = await stored("a")
  const first = await claim()
  await store(sql, "a", 2)
  expect(await claim()).toEqual([])
  await settleChanges(sql, first)
  expect(await fences()).toEqual([["a", 2]])
})

test("changes that were never claimed come first, and of the others as many as may be repeated", async () => {
  const { sql, claim } = await stored("a", "b", "c")
  await claim()
  await endLeases(sql)
  await addConnections(sql, ["d", "e"])
  await store(sql, "d", 1)
  await store(sql, "e", 1)
  const claimed = async (most: number, mostRepeated: number) =>
    (await claimChanges(sql, { ...lease, most, mostRepeated })).map(({ connection }) => connection).toSorted()
  expect(await claimed(1, 10)).toEqual(["d"])
  expect(await claimed(10, 0)).toEqual(["e"])
  expect(await claimed(10, 1)).toHaveLength(1)
  expect(await claimed(10, 10)).toHaveLength(2)
})

test("a record that may follow, because its scheduler did not finish, is followed by a repetition of the newest", async () => {
  const { sql, claim, fences } = await stored("a")
  await claim()
  await store(sql, "a", 2)
  await endLeases(sql)
  const second = await claim()
  expect(second).toMatchObject([{ content: { fence: 2 } }])
  // The record that may follow is older than this content, too.
  await store(sql, "a", 3)
  await settleChanges(sql, second)
  const third = await claim()
  expect(third).toMatchObject([{ content: { fence: 3 } }])
  await settleChanges(sql, third)
  expect(await claim()).toEqual([])
  await endLeases(sql)
  const repeated = await claim()
  expect(repeated).toMatchObject([{ content: { fence: 3 } }])
  await settleChanges(sql, repeated)
  await endLeases(sql)
  expect(await fences()).toEqual([])
})

test("a scheduler that was suspended and publishes an old content after a newer one causes the newest to be published again", async () => {
  const { sql, claim, fences } = await stored("a", "b")
  const late = await claim()
  await store(sql, "a", 2)
  await store(sql, "b", 2)
  await endLeases(sql)
  const other = await claim()
  await settleChanges(
    sql,
    other.filter(({ connection }) => connection === "a"),
  )
  await sql("delete from unpublished_change where connection_id = 'a'")
  // Of a, the newer record was published; of b, it is being published.
  await settleChanges(sql, late)
  expect((await fences()).toSorted()).toEqual([
    ["a", 2],
    ["b", 2],
  ])
})

test("if a connection is deleted and created again while it is published, its new content is published, too", async () => {
  const { sql, claim, fences } = await stored("a")
  const first = await claim()
  await sql("delete from connection")
  await addConnections(sql, ["a"])
  // The fence of its first content is the same.
  await store(sql, "a", 1)
  await settleChanges(sql, first)
  expect(await fences()).toEqual([["a", 1]])
})

test("a deleted connection is claimed without a content, and one that was created again with its new content", async () => {
  const { sql, claim, fences } = await stored("a", "never-synced")
  await sql("delete from snapshot where connection_id = 'never-synced'")
  await settleChanges(sql, await claim())
  await sql("delete from unpublished_change")
  await sql("delete from connection")
  const deleted = await claim()
  expect(deleted).toMatchObject([{ connection: "a", content: null }])
  await addConnections(sql, ["a"])
  await store(sql, "a", 1)
  await settleChanges(sql, deleted)
  expect(await fences()).toEqual([["a", 1]])
})

test("a row that another transaction has locked delays no other change", async () => {
  const { url, sql, claim, fences } = await stored("a", "b")
  const lock = await openTransaction(url, "update unpublished_change set fence = 2 where connection_id = 'a'")
  const claimed = await claim()
  expect(claimed).toMatchObject([{ connection: "b" }])
  await settleChanges(sql, claimed)
  await lock.rollback()
  expect(await fences()).toEqual([["a", 1]])
})

test("the documented statement publishes all contents again", async () => {
  const { sql, claim, fences } = await stored("a", "b")
  await settleChanges(sql, await claim())
  const page = new URL("../../../docs/operators/restore.md", import.meta.url)
  const [, statement = ""] =
    /-c '(insert into unpublished_change[^']*)'/.exec(await readFile(page, "utf8")) ?? []
  await sql(statement)
  expect((await fences()).toSorted()).toEqual([
    ["a", 1],
    ["b", 1],
  ])
})
