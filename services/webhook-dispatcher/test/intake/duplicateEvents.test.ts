import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, refusal, startInstallation } from "../fixtures/testDispatcher.ts"

test("an event that is published twice is delivered once, and listed as invalid only if its data differ", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const invalid = await it.read(it.names.sitePaidInvalid)
  await it.dispatcher()
  const corrected = (name: string) => paid("shop-1", { name })
  await it.publishPaid([paid("shop-1"), paid("shop-1"), corrected("second"), paid("shop-2")])
  await waitUntil("both", () => partner.received.length === 2)
  await waitUntil("the rejection", () => invalid.length === 1)
  const reformatted = paid("shop-1", { created_at: "20300102T010405Z" })
  await it.publishPaid([paid("shop-1"), corrected("third"), reformatted, paid("shop-3")])
  await waitUntil("the third", () => partner.received.some(({ body }) => body.includes("shop-3")))
  await waitUntil("the second rejection", () => invalid.length === 2)
  expect(partner.received).toHaveLength(3)
  expect(invalid.map(({ value }) => JSON.parse(String(value)).name)).toEqual(["second", "third"])
  expect(refusal(invalid[0])).toContain("its id was published before with other data")
  await partner.close()
})
