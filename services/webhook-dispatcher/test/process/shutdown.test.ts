import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("SIGTERM lets attempts in flight finish, and commits their records", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver((_, response) => {
    setTimeout(() => response.writeHead(200).end(), 300)
  })
  await it.channel("acme", partner.url)
  const dispatcher = await it.process()
  await it.publishPaid([paid("shop-1"), paid("shop-2")])
  await waitUntil("both under way", () => partner.received.length === 2)
  expect(await dispatcher.end("SIGTERM")).toBe(0)
  expect(await it.sql("select state from delivery")).toEqual([{ state: "delivered" }, { state: "delivered" }])
  await it.dispatcher()
  await it.publishPaid([paid("shop-3")])
  await waitUntil("the third", () => partner.received.length === 3)
  await partner.close()
})
