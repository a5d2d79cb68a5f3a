import type { Sql } from "@sitewire/database"
import { createLogger, createMetrics } from "@sitewire/runtime"
import { expect, onTestFinished, test } from "vitest"
import { startConsole } from "../../test/fixtures/startConsole.ts"
import { insertDelivery } from "../../test/fixtures/statistics.ts"
import { createChangeFeed } from "./createChangeFeed.ts"

const feedOf = (sql: Sql) =>
  createChangeFeed({
    sql,
    log: createLogger({ service: "test", level: "fatal" }),
    metrics: createMetrics("test"),
  })

async function callerOf(sql: Sql) {
  const [key] = await sql<{ id: string }>("select id from api_key limit 1")
  return { keyId: key?.id ?? "", keyName: "test", sessionId: null, channels: "all", sites: "all" } as const
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
  const joined = feed.subscribe({ caller: await callerOf(sql), filter: {}, lastEventId: null })
  await expect.poll(() => committed, { timeout: 10_000 }).not.toBe("")
  let received = ""
  const reading = (async () => {
    for await (const chunk of joined?.chunks ?? []) received += Buffer.from(chunk).toString()
  })()
  await expect.poll(() => received, { timeout: 10_000 }).toContain(committed)
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
  // Runs while the second poll reads its position: the client joins first, and then a delivery is committed.
  const interrupted: Sql = async (text, values, name) => {
    if (text.includes("pg_current_snapshot()::text") && ++polls === 2) {
      joined.push(feed.subscribe({ caller, filter: {}, lastEventId: null }))
      committed = await insertDelivery(sql, { at: Date.now() })
    }
    return sql(text, values, name)
  }
  const feed = feedOf(interrupted)
  feed.subscribe({ caller, filter: {}, lastEventId: null })
  await expect.poll(() => committed, { timeout: 10_000 }).not.toBe("")
  await expect.poll(() => polls, { timeout: 10_000 }).toBeGreaterThan(3)
  await feed.close()
  let received = ""
  for await (const chunk of joined[0]?.chunks ?? []) received += Buffer.from(chunk).toString()
  expect(received).toContain(committed)
})
