import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises"
import type { Sql } from "@sitewire/database"
import { createLogger, createMetrics } from "@sitewire/runtime"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startConsole } from "../../test/fixtures/startConsole.ts"
import { insertDelivery } from "../../test/fixtures/statistics.ts"
import { callerOf as readCaller } from "../auth/caller.ts"
import { createChangeFeed } from "./createChangeFeed.ts"

const feedOf = (sql: Sql) =>
  createChangeFeed({
    sql,
    pollIntervalMs: 20,
    log: createLogger({ service: "test", level: "fatal" }),
    metrics: createMetrics("test"),
  })

async function callerOf(sql: Sql) {
  const [key] = await sql<{ id: string }>("select id from api_key limit 1")
  const caller = readCaller(
    { id: key?.id ?? "", name: "test", scopes: ["read"], sessionId: null },
    { read: "all" },
  )
  if (!caller) throw new Error("no caller")
  return { ...caller, scopes: [] }
}

test("what is committed after a first poll that failed is sent by the next one", async () => {
  const console = await startConsole()
  onTestFinished(() => console.close())
  const { sql } = console.pool
  let committed = ""
  // The first poll fails in its last statement of changes, and then a delivery is committed.
  const failing: Sql = async (text, values, name) => {
    if (committed !== "" || !text.includes("from sync_run")) return sql(text, values, name)
    committed = await insertDelivery(sql, { at: Date.now() })
    throw new Error("Connection terminated")
  }
  const feed = feedOf(failing)
  const joined = await feed.subscribe({ caller: await callerOf(sql), filter: {} })
  await waitUntil("the commit", () => committed !== "")
  let received = ""
  const reading = (async () => {
    for await (const chunk of joined ?? []) received += Buffer.from(chunk).toString()
  })()
  await waitUntil("the delivery", () => received.includes(committed))
  await feed.close()
  await reading
})

test("what is committed as soon as a client follows the changes is sent to it, however late the first poll is", async () => {
  const console = await startConsole()
  onTestFinished(() => console.close())
  const { sql } = console.pool
  const committed = Promise.withResolvers<string>()
  // Statements that are executed after `subscribe` has resolved wait for the commit.
  let follows = false
  const late: Sql = async (text, values, name) => {
    await nextTurn()
    if (follows) await committed.promise
    return sql(text, values, name)
  }
  const feed = feedOf(late)
  const joined = await feed.subscribe({ caller: await callerOf(sql), filter: {} })
  follows = true
  committed.resolve(await insertDelivery(sql, { at: Date.now() }))
  let received = ""
  const reading = (async () => {
    for await (const chunk of joined ?? []) received += Buffer.from(chunk).toString()
  })()
  const id = await committed.promise
  await waitUntil("the delivery", () => received.includes(id))
  await feed.close()
  await reading
})

test("a client that joins while a poll runs gets what is committed from then on", async () => {
  const console = await startConsole()
  onTestFinished(() => console.close())
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://partner.example/" } })
  const { sql } = console.pool
  const caller = await callerOf(sql)
  let polls = 0
  let committed = ""
  const joined: ReturnType<typeof feed.subscribe>[] = []
  // One client joins while the first poll checks the keys of the others. Another one joins while the second poll
  // reads its position, and then a delivery is committed.
  const interrupted: Sql = async (text, values, name) => {
    // No connection responds within the call.
    await Promise.resolve()
    if (text.includes("api_key") && joined.length === 0 && polls === 1)
      joined.push(feed.subscribe({ caller: { ...caller }, filter: {} }))
    if (text.includes("pg_current_snapshot()::text") && ++polls === 2) {
      joined.push(feed.subscribe({ caller, filter: {} }))
      committed = await insertDelivery(sql, { at: Date.now() })
    }
    return sql(text, values, name)
  }
  const feed = feedOf(interrupted)
  await feed.subscribe({ caller, filter: {} })
  await waitUntil("the commit", () => committed !== "")
  await waitUntil("further polls", () => polls > 3)
  await feed.close()
  expect(joined).toHaveLength(2)
  for (const stream of await Promise.all(joined)) {
    let received = ""
    for await (const chunk of stream ?? []) received += Buffer.from(chunk).toString()
    expect(received).toContain(committed)
  }
})

test("a stream that ended before it began to follow the changes leaves later ones their changes", async () => {
  const console = await startConsole()
  onTestFinished(() => console.close())
  const { sql } = console.pool
  const late = Promise.withResolvers<void>()
  let positions = 0
  const feed = feedOf(async (text, values, name) => {
    if (text.includes("pg_current_snapshot") && ++positions === 2) await late.promise
    return sql(text, values, name)
  })
  onTestFinished(() => feed.close())
  const valid = await callerOf(sql)
  const revoked = { caller: { ...valid, keyId: "revoked" }, filter: {} }
  const first = feed.subscribe(revoked)
  const second = feed.subscribe(revoked)
  const read = async (stream: typeof first) => {
    let text = ""
    for await (const chunk of (await stream) ?? []) text += Buffer.from(chunk).toString()
    return text
  }
  expect(await read(first)).toContain("key-invalid")
  // Polling has ended then, because no stream is left. If this were too short, the test would show less, and not fail.
  await sleep(300)
  late.resolve()
  expect(await read(second)).toContain("key-invalid")
  const third = await feed.subscribe({ caller: valid, filter: {} })
  const id = await insertDelivery(sql, { at: Date.now() })
  let received = ""
  for await (const chunk of third ?? []) {
    received += Buffer.from(chunk).toString()
    if (received.includes(id)) return
  }
  throw new Error(`the stream ended without the delivery: ${received}`)
})
