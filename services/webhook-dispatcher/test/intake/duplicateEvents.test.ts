import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("an event that is published twice is delivered once", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1"), paid("shop-1"), paid("shop-2")])
  await waitUntil("both", () => partner.received.length === 2)
  await it.publishPaid([paid("shop-1"), paid("shop-3")])
  await waitUntil("the third", () => partner.received.some(({ body }) => body.includes("shop-3")))
  expect(partner.received).toHaveLength(3)
  await partner.close()
})
