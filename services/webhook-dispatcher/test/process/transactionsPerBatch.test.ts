import { startReceiver } from "@sitewire/cli/receivers"
import { openPool } from "@sitewire/database"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("a backlog costs two transactions for each batch, and far fewer than one for each event", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.publishPaid(Array.from({ length: 500 }, (_, at) => paid(`shop-${at}`)))
  // Count from another database, so that the count's own transactions are excluded.
  const elsewhere = new URL(it.databaseUrl)
  const database = elsewhere.pathname.slice(1)
  elsewhere.pathname = "/postgres"
  const pool = openPool({ url: elsewhere.href, size: 1, name: "test" })
  const transactions = async () => {
    const [row] = await pool.sql<{ count: number }>(
      "select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = $1",
      [database],
    )
    return row?.count ?? 0
  }
  const before = await transactions()
  const dispatcher = await it.dispatcher(
    { CHANNEL_MAX_CONCURRENCY: "500" },
    // Polls are counted too, and their number depends on the duration of the test.
    { intervals: { pollMs: 5_000, checksMs: 600_000, reportMs: 600_000 } },
  )
  await waitUntil("all", () => partner.received.length === 500)
  // Postgres adds up a connection's transactions when it closes.
  expect(await dispatcher.stop()).toBe(0)
  const spent = await waitUntil("the count", async () => {
    const count = (await transactions()) - before
    return count > 2 && count
  })
  expect(await it.sql("select from delivery where state = 'delivered'")).toHaveLength(500)
  // How large batches are depends on the machine.
  expect(spent).toBeLessThan(400)
  await pool.close()
  await partner.close()
})
