import type { Sql } from "@sitewire/database"
import { createLogger, createMetrics } from "@sitewire/runtime"
import { expect, onTestFinished, test } from "vitest"
import { startConsole } from "../../test/fixtures/startConsole.ts"
import { insertDelivery } from "../../test/fixtures/statistics.ts"
import { createChangeFeed } from "./createChangeFeed.ts"

test("a client that joins while a poll runs gets what is committed from then on", async () => {
  const console = await startConsole()
  onTestFinished(() => console.close())
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://partner.example/" } })
  const { sql } = console.pool
  const [key] = await sql<{ id: string }>("select id from api_key limit 1")
  const caller = {
    ...{ keyId: key?.id ?? "", keyName: "test", sessionId: null },
    ...({ channels: "all", sites: "all" } as const),
  }
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
  const feed = createChangeFeed({
    sql: interrupted,
    log: createLogger({ service: "test", level: "fatal" }),
    metrics: createMetrics("test"),
  })
  feed.subscribe({ caller, filter: {}, lastEventId: null })
  await expect.poll(() => committed, { timeout: 10_000 }).not.toBe("")
  await expect.poll(() => polls, { timeout: 10_000 }).toBeGreaterThan(3)
  await feed.close()
  let received = ""
  for await (const chunk of joined[0]?.chunks ?? []) received += Buffer.from(chunk).toString()
  expect(received).toContain(committed)
})
