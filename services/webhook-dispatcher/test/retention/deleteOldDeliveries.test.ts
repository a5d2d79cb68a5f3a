import { insertAged } from "@sitewire/deliveries/fixtures/insertAged"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startInstallation } from "../fixtures/testDispatcher.ts"

test("a dispatcher deletes deliveries older than RETENTION, and their attempts", async () => {
  await using it = await startInstallation()
  await insertAged(it.sql, { days: 2, count: 10, state: "delivered" })
  await insertAged(it.sql, { days: 0, count: 3, state: "delivered" })
  const dispatcher = await it.dispatcher({ RETENTION: "24s" })
  await waitUntil("the old ones to go", async () => (await it.count()) === 3)
  await waitUntil("their attempts to go", async () => (await it.sql("select from attempt")).length === 6)
  expect(await dispatcher.stop()).toBe(0)
})
