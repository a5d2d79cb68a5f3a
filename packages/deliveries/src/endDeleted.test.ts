import type { Sql } from "@sitewire/database"
import { expect, onTestFinished, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { endDeleted } from "./endDeleted.ts"

test("neither the search nor a batch reads all waiting deliveries of the channel or of others", async () => {
  const { sql, driver } = await startDeliveryDatabase()
  await sql(
    `with stored as (
       insert into delivery (id, event_id, channel_id, body, body_sha256, correlation)
       select uuidv7(), n::text, case when n <= 2000 then 'acme' else 'other' end, '', '', 'c'
         from generate_series(1, 4000) n
       returning id, channel_id
     )
     insert into waiting_delivery (delivery_id, channel_id, attempts, next_attempt_at)
     select id, channel_id, 1, now() from stored`,
  )
  await sql("analyze waiting_delivery")
  const session = await driver.connect()
  onTestFinished(() => session.release())
  const query: Sql = async (text, values = []) => (await session.query(text, [...values])).rows
  const rowsRead = async () => {
    await query("select pg_stat_force_next_flush()")
    const [row] = await query<{ read: number }>(
      `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as read from pg_stat_user_tables
        where relname ~ '^(waiting_)?delivery'`,
    )
    return row?.read ?? 0
  }
  const before = await rowsRead()
  await sql("insert into deleted_channel (id, deleted_at) values ('acme', now() - interval '1 minute')")
  expect(await endDeleted(query, 10)).toEqual([{ channel: "acme", ended: 10 }])
  expect((await rowsRead()) - before).toBeLessThan(200)
})
