import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

/** Postgres adds up a backend's counts when the backend is idle or exits. */
async function updates(it: TestInstallation) {
  const [row] = await it.sql<{ all: number; hot: number }>(
    `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'delivery'`,
  )
  return row ?? { all: 0, hot: 0 }
}

test("a delivery that succeeds at its first attempt is updated once, with a heap-only update", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  // A few at a time, within the channel's capacity, so that none is deferred.
  for (let count = 4; count <= 24; count += 4) {
    await it.publishPaid(Array.from({ length: 4 }, (_, at) => paid(`shop-${count}-${at}`)))
    await waitUntil("these deliveries", async () => (await it.count("state = 'delivered'")) === count)
  }
  expect(await dispatcher.stop()).toBe(0)
  const counts = await waitUntil("the counts", async () => {
    const counted = await updates(it)
    return counted.all >= 24 && counted
  })
  expect(counts).toEqual({ all: 24, hot: 24 })
  await partner.close()
})
