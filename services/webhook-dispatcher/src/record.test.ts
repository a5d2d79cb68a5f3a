import { readSealingKeys } from "@sitewire/database"
import * as deliveries from "@sitewire/deliveries"
import { startDeliveryDatabase } from "@sitewire/deliveries/fixtures/deliveryDatabase"
import { newDelivery } from "@sitewire/deliveries/fixtures/newDelivery"
import { plainAttempt } from "@sitewire/deliveries/fixtures/plainAttempt"
import { createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createWrites } from "./record.ts"

const leaseExpiresAt = new Date(Date.now() + 60_000)
const claimed = {
  deferred_at: "now()",
  deferred_reason: "'busy'",
  lease_expires_at: `'${leaseExpiresAt.toISOString()}'`,
}
const delivered = { state: "'delivered'" }

test("what another transaction has locked waits by itself, and the rest of its batch is written", async () => {
  const { pool, driver, insert } = await startDeliveryDatabase()
  const keys = readSealingKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`)
  const erasures = deliveries.createErasureList({ sql: pool.sql, sealingKeys: keys })
  const settings = { digestKey: null, publishOutcomes: false }
  const { storeDelivery, recordAttempt, releaseClaim } = createWrites({
    sql: pool.sql,
    retry: (_, work) => work(),
    events: { store: (batch) => deliveries.store(pool.sql, erasures, batch, settings) },
    statements: deliveries,
    config: { PUBLISH_OUTCOMES: false },
    expiring: new AbortController().signal,
    log: createLogger({ service: "test", level: "silent" }),
  })
  const waits = "waiting_delivery where delivery_id"
  const record = (delivery_id: string) => recordAttempt({ ...plainAttempt, delivery_id })
  const store = (delivery: deliveries.NewDelivery) =>
    storeDelivery({
      delivery,
      attempt: { ...plainAttempt, delivery_id: delivery.id },
      deferral: null,
    })
  const [stored, unstored] = [newDelivery("stored"), newDelivery("unstored")]
  await store(stored)
  const cases = [
    { row: waits, write: record, locked: await insert(), free: await insert() },
    {
      row: "delivery where id",
      write: record,
      locked: await insert(delivered),
      free: await insert(delivered),
    },
    {
      row: waits,
      write: (id: string) => releaseClaim({ id, leaseExpiresAt, reason: "busy" }),
      locked: await insert(claimed),
      free: await insert(claimed),
    },
    {
      row: "delivery where id",
      write: (id: string) => store(id === stored.id ? stored : unstored),
      locked: stored.id,
      free: unstored.id,
    },
  ]
  for (const { row, write, locked, free } of cases) {
    const other = await driver.connect()
    await other.query("begin")
    await other.query(`select from ${row} = $1 for update`, [locked])
    let isWritten = false
    const writing = write(locked).then(() => {
      isWritten = true
    })
    await write(free)
    expect(isWritten).toBe(false)
    await other.query("commit")
    await writing
    other.release()
  }
})
