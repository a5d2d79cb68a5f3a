import { freshDatabase, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { addErasure, sealingKeys } from "../../test/fixtures/addErasure.ts"
import { openPool, type Sql } from "../pool.ts"
import { openErasureList } from "./erasureList.ts"
import { listMaxAgeMs, listRefreshMs } from "./timeLimits.ts"

const content = Buffer.from('{"email":"owner@shop.example"}')

async function startList() {
  const database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "erasure-test" })
  const clock = { monotonic: 0, wall: Date.now() }
  const state = { reads: 0, unavailable: false }
  const sql: Sql = (text, values, name) => {
    if (name === "read-erasures") state.reads += 1
    return state.unavailable ? Promise.reject(new Error("no connection")) : pool.sql(text, values, name)
  }
  const current = openErasureList(
    { sql, sealingKeys },
    { monotonic: () => clock.monotonic, wall: () => clock.wall },
  )
  return {
    clock,
    state,
    pool,
    current,
    covers: async () => (await current()).covers(content, Date.now()),
    erase: () => addErasure(pool.sql, { email: "owner@shop.example" }, new Date()),
    async [Symbol.asyncDispose]() {
      await pool.close()
      await database.drop()
    },
  }
}

test("a list older than a second is refreshed in the background, and no caller waits for that", async () => {
  await using it = await startList()
  expect(await it.covers()).toBe(false)
  await it.erase()
  it.clock.monotonic += listRefreshMs
  expect(await it.covers()).toBe(false)
  expect(it.state.reads).toBe(1)
  it.clock.monotonic += 1
  expect(await it.covers()).toBe(false)
  await waitUntil("the new list", () => it.covers())
  expect(it.state.reads).toBe(2)
})

test.each(["monotonic", "wall"] as const)(
  "no event is checked against a list that is too old by the clock %s",
  async (clock) => {
    await using it = await startList()
    expect(await it.covers()).toBe(false)
    await it.erase()
    it.clock[clock] += listMaxAgeMs + 1
    expect(await it.covers()).toBe(true)
  },
)

test("while no list can be read, the last one is used until it is too old, and then calls reject", async () => {
  await using it = await startList()
  await it.current()
  it.state.unavailable = true
  it.clock.monotonic += listMaxAgeMs
  await it.current()
  it.clock.monotonic += 1
  await expect(it.current()).rejects.toThrow("no connection")
  it.state.unavailable = false
  await it.current()
})

test("a list's age counts from the start of its reading, and concurrent callers share one reading", async () => {
  await using it = await startList()
  const client = await it.pool.driver.connect()
  const calls = [it.covers(), it.covers(), it.covers()]
  expect(it.state.reads).toBe(1)
  // The only connection is in use, so the reading waits. Its list is then too old, and is read again.
  it.clock.monotonic += listMaxAgeMs + 1
  client.release()
  expect(await Promise.all(calls)).toEqual([false, false, false])
  expect(it.state.reads).toBe(2)
})
