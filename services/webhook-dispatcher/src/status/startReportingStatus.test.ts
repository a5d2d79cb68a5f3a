import { startDeliveryDatabase } from "@sitewire/deliveries/fixtures/deliveryDatabase"
import { expect, onTestFinished, test } from "vitest"
import { reportStatuses } from "./startReportingStatus.ts"

test("a channel that another transaction has locked delays no statuses", async () => {
  const { sql, driver } = await startDeliveryDatabase()
  const other = await driver.connect()
  onTestFinished(() => other.release(true))
  await other.query("begin")
  await other.query("select from channel where id = 'acme' for update")
  const status = { openedAt: null, failures: 1, limit: 1, inFlight: 0, averageMs: 1 }
  expect(await reportStatuses(sql, "this", [{ channel: "acme", ...status }])).toEqual([])
  expect(await sql("select from channel_status")).toHaveLength(1)
})
