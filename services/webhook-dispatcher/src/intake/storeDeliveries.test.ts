import { openPool } from "@sitewire/database"
import { freshDatabase } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { storeDeliveries } from "./storeDeliveries.ts"

test("what is stored again after an outage has an id of then, and of that moment", async () => {
  const database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "store-test" })
  await pool.sql(
    `insert into channel (id, address, secret_id, secret_sealed, updated_at)
     values ('acme', 'https://shop.example', 'sec', '', now())`,
  )
  const content = { body: Buffer.from("{}"), bodySha256: Buffer.alloc(32), correlation: "c", appendedAt: 0 }
  const batch = [{ eventId: "event-1", channelId: "acme", ...content }]
  const tried: unknown[] = []
  const away = async (_: string, values: readonly unknown[] = []) => {
    tried.push(values[0])
    throw new Error("away")
  }
  await expect(storeDeliveries(away, batch)).rejects.toThrow("away")
  const [stored] = await storeDeliveries(pool.sql, batch)
  expect(stored).toMatchObject({ fresh: true, channel_id: "acme" })
  expect(JSON.stringify(tried)).not.toContain(stored?.id)
  expect(await pool.sql("select id, event_id from delivery")).toEqual([
    { id: stored?.id, event_id: "event-1" },
  ])
  expect(await storeDeliveries(pool.sql, batch)).toMatchObject([{ fresh: false }])
  await pool.close()
  await database.drop()
})
