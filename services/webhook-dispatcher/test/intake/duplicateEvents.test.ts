import { startReceiver } from "@sitewire/cli/receivers"
import { lowestDeliveryId } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import type { InProcess } from "../fixtures/startInProcess.ts"
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

test("an event that comes again to another dispatcher, after a rebalance or a restart, or on another day is not sent again", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const first = await it.dispatcher()
  const events = [paid("today"), paid("yesterday")]
  await it.publishPaid(events)
  await waitUntil("both deliveries", async () => (await it.count("state = 'delivered'")) === 2)
  const yesterday = lowestDeliveryId(Date.now() - 86_400_000)
  await it.sql("update delivery set id = $1 where event_id = 'yesterday'", [yesterday])
  await it.sql("update known_event set delivery_id = $1 where event_id = 'yesterday'", [yesterday])

  async function expectDuplicates(round: string, dispatchers: InProcess[]): Promise<void> {
    const countOf = async (dispatcher: InProcess) =>
      Number(/sitewire_site_paid_total\{.*"duplicate".*\} (\d+)/.exec(await dispatcher.metrics())?.[1])
    const count = () => Promise.all(dispatchers.map(countOf))
    const before = await count()
    // By several publishers, in all partitions.
    const keys = Array.from({ length: 12 }, (_, at) => `${round}-${at}`)
    const topic = it.names.sitePaid
    await it.publish(
      keys.flatMap((key) => events.map((event) => ({ topic, key, value: JSON.stringify(event) }))),
    )
    const more = await waitUntil("all records", async () => {
      const now = await count()
      const each = now.map((duplicates, at) => duplicates - (before[at] ?? 0))
      return each.reduce((sum, duplicates) => sum + duplicates, 0) === 2 * keys.length && each
    })
    expect(Math.min(...more)).toBeGreaterThan(0)
  }
  const second = await it.dispatcher()
  await expectDuplicates("rebalanced", [first, second])
  await Promise.all([first.stop(), second.stop()])
  await expectDuplicates("restarted", [await it.dispatcher()])
  expect(partner.received).toHaveLength(2)
  expect(await it.count()).toBe(2)
  await partner.close()
})
