import { isBadRow } from "@sitewire/database"
import { expect, test } from "vitest"
import { openTransaction } from "../test/fixtures/openTransaction.ts"
import {
  addConnections,
  claimAll,
  claimInput,
  claimOne,
  emptyDatabase,
  endOf,
  failed,
  letTimePass,
  minute,
  readWindow,
  trigger,
} from "../test/fixtures/windows.ts"
import { claimDueSyncs } from "./claimDueSyncs.ts"
import { finishRuns } from "./finishRuns.ts"
import { recordTriggers } from "./recordTriggers.ts"

test("triggers of connections that do not exist are skipped, and the others recorded", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"])
  expect(await recordTriggers(sql, minute, [trigger("nobody"), trigger("a")])).toMatchObject({ recorded: 1 })
  expect(await sql("select 1 from sync_window")).toHaveLength(1)
})

test("a trigger during a run that outlasts its window does not make the run count as lost", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"])
  const settings = { ...minute, windowMs: 10_000 }
  await recordTriggers(sql, settings, [trigger("a")])
  await letTimePass(sql, 2_000)
  await claimDueSyncs(sql, settings, claimInput(1, 1))
  await recordTriggers(sql, settings, [trigger("a")])
  expect(await readWindow(sql, "a")).toMatchObject({ running: true, due: 55, window_ends_at: 11 })
})

test("the first trigger's time and correlation stay until a sync covers it", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"])
  const firstAt = "2026-01-01T00:00:00.000Z"
  await recordTriggers(sql, minute, [trigger("a", { first_at: firstAt, correlation: "first" })])
  await letTimePass(sql, 2_000)
  const first = await claimOne(sql)
  expect(first).toMatchObject({ firstTriggerAt: new Date(firstAt), correlation: "first", triggers: 1 })
  await recordTriggers(sql, minute, [trigger("a")])
  await finishRuns(sql, minute, [endOf(first, failed)])
  await letTimePass(sql, 60_000)
  expect(await claimOne(sql)).toMatchObject({
    firstTriggerAt: new Date(firstAt),
    correlation: "first",
    triggers: 2,
  })
})

test("batches with the same connections in any order do not deadlock", async () => {
  const { sql, open } = await emptyDatabase(1)
  const ids = Array.from({ length: 300 }, (_, index) => `c${index}`)
  await addConnections(sql, ids)
  const batches = Array.from({ length: 12 }, (_, index) => {
    const pool = open()
    const order = index % 2 ? ids : ids.toReversed()
    return recordTriggers(
      pool.sql,
      minute,
      order.map((id) => trigger(id)),
    )
  })
  await Promise.all(batches)
  const rows = await sql<{ requested: string }>("select distinct requested from sync_window")
  expect(rows).toEqual([{ requested: "12" }])
})

test("a row that another transaction has locked delays others by the given time only, and its triggers are returned", async () => {
  const { url, sql } = await emptyDatabase()
  await addConnections(sql, ["a", "b", "c"])
  await recordTriggers(sql, minute, [trigger("a"), trigger("b")])
  const lock = await openTransaction(url, "update sync_window set slow = slow where connection_id = 'a'")
  const triggers = ["a", "b", "c", "nobody"].map((id) => trigger(id))
  const limited = await recordTriggers(sql, { ...minute, lockWaitMs: 100 }, triggers)
  expect(limited).toMatchObject({ recorded: 2, locked: ["a"] })
  expect(limited.dueInMs).toBeLessThanOrEqual(2_001)
  const skipping = { ...minute, lockWaitMs: 0 }
  expect(await recordTriggers(sql, skipping, triggers)).toMatchObject({ recorded: 2, locked: ["a"] })
  await lock.rollback()
  expect(await recordTriggers(sql, skipping, triggers)).toMatchObject({ recorded: 3, locked: [] })
  const rows = await sql("select connection_id as id, requested from sync_window order by 1")
  expect(rows).toEqual([
    { id: "a", requested: "2" },
    { id: "b", requested: "4" },
    { id: "c", requested: "3" },
  ])
})

test("the deletion of a connection delays no others, also if the connection has no window yet", async () => {
  const { url, sql } = await emptyDatabase()
  await addConnections(sql, ["a", "b"])
  const deletion = await openTransaction(url, "delete from connection where id = 'a'")
  const limited = { ...minute, lockWaitMs: 100 }
  const triggers = [trigger("a"), trigger("b")]
  expect(await recordTriggers(sql, limited, triggers)).toMatchObject({ recorded: 1, locked: ["a"] })
  await deletion.commit()
  expect(await recordTriggers(sql, limited, triggers)).toMatchObject({ recorded: 1, locked: [] })
})

test("a value that Postgres cannot store is recognized, and another error is not", async () => {
  const { sql } = await emptyDatabase()
  const bad = recordTriggers(sql, minute, [trigger("a\u0000")])
  await expect(bad).rejects.toSatisfy(isBadRow)
  await expect(sql("select nothing from nowhere")).rejects.not.toSatisfy(isBadRow)
})

test("absurd counts overflow no column", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"])
  for (let round = 0; round < 4; round++) {
    await recordTriggers(sql, minute, [trigger("a", { count: 1_000_000_000 })])
  }
  await letTimePass(sql, 2_000)
  expect((await claimAll(sql)).runs).toMatchObject([{ triggers: 2_147_483_647 }])
})
