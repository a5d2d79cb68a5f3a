import { openPool } from "@sitewire/database"
import { freshDatabase } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { storeDeliveries } from "./storeDeliveries.ts"

test("a batch that is stored again after an outage gets new delivery ids, which contain the new time", async () => {
  const database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "store-test" })
  await pool.sql(
    `insert into channel (id, address, secret_id, secret_sealed, updated_at)
     values ('acme', 'https://shop.example', 'sec', '', now())`,
  )
  const content = {
    body: Buffer.from("{}"),
    bodySha256: Buffer.alloc(32),
    searchDigests: Buffer.alloc(24),
    correlation: "c",
    appendedAt: 0,
  }
  const batch = [{ eventId: "event-1", channelId: "acme", ...content }]
  const tried: unknown[] = []
  const unavailable = async (_: string, values: readonly unknown[] = []) => {
    tried.push(values[0])
    throw new Error("unavailable")
  }
  await expect(storeDeliveries(unavailable, batch)).rejects.toThrow("unavailable")
  const [stored] = await storeDeliveries(pool.sql, batch)
  expect(stored).toMatchObject({ inserted: true, channel_id: "acme" })
  expect(JSON.stringify(tried)).not.toContain(stored?.id)
  expect(await pool.sql("select id, event_id from delivery")).toEqual([
    { id: stored?.id, event_id: "event-1" },
  ])
  expect(await storeDeliveries(pool.sql, batch)).toMatchObject([{ inserted: false }])
  await pool.close()
  await database.drop()
})
