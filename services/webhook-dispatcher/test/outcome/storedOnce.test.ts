import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

/** Postgres adds up a backend's counts when the backend is idle or exits. */
const written = (it: TestInstallation) =>
  it.sql<{ table: string; inserted: number; updated: number; dead: number }>(
    // The rows of a partitioned table are counted in its partitions.
    `select kind as table, sum(n_tup_ins)::int as inserted, sum(n_tup_upd)::int as updated, sum(n_dead_tup)::int as dead
       from pg_stat_user_tables cross join substring(relname from '^(attempt|delivery|known_event|waiting_delivery)') as kind
      where kind is not null group by 1 order by 1`,
  )

test("a delivery that is accepted at once costs one row, one attempt and one key: nothing is updated, and no dead row is left", async () => {
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
    const counted = await written(it)
    return counted.every(({ table, inserted }) => table === "waiting_delivery" || inserted >= 24) && counted
  })
  expect(counts).toEqual([
    { table: "attempt", inserted: 24, updated: 0, dead: 0 },
    { table: "delivery", inserted: 24, updated: 0, dead: 0 },
    { table: "known_event", inserted: 24, updated: 0, dead: 0 },
    { table: "waiting_delivery", inserted: 0, updated: 0, dead: 0 },
  ])
  await partner.close()
})
