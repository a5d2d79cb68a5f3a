import { startReceiver } from "@sitewire/cli/receivers"
import { connectKafka, startProducer } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { nonEmpty } from "../fixtures/nonEmpty.ts"
import { paid, refusal, startInstallation } from "../fixtures/testDispatcher.ts"

const log = createLogger({ service: "test", level: "silent" })

test("records that are malformed or name an unknown channel are rejected unaltered, with reason and origin, and the next is delivered", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const invalid = await it.read(it.names.sitePaidInvalid)
  const dispatcher = await it.dispatcher()
  const bad = [
    "not json owner@shop.example",
    JSON.stringify({ ...paid("bad-1"), email: "nobody" }),
    JSON.stringify({ ...paid("bad-2"), channel: "unknown" }),
    JSON.stringify({ ...paid("bad\u0000id") }),
  ]
  const published = await it.read(it.names.sitePaid)
  const key = Buffer.from([0xff, 0, 0x80])
  const headers = {
    correlation: "c-1",
    trace: [Buffer.from([0xc3, 0x28]), Buffer.from("2"), Buffer.alloc(0)],
  }
  await it.publish(bad.map((value) => ({ topic: it.names.sitePaid, key, value, headers })))
  const [place] = await waitUntil("what was published", () => nonEmpty(published))
  await it.publish([{ topic: it.names.sitePaid, key, value: JSON.stringify(paid("good")) }])
  await waitUntil("the good one", () => partner.received.length === 1)
  await waitUntil("the bad ones", () => invalid.length === bad.length)
  const reasons = invalid.map(refusal)
  expect(reasons).toContain("not JSON")
  expect(reasons).toContain("unknown channel")
  expect(reasons.some((reason) => reason?.startsWith("email "))).toBe(true)
  expect(invalid.map(({ value }) => String(value)).toSorted()).toEqual(bad.toSorted())
  for (const { original } of invalid) {
    expect(original.key).toEqual(key)
    expect(original.headers).toMatchObject({ ...headers, correlation: Buffer.from(headers.correlation) })
  }
  const origins = invalid.map(({ headers }) => ({
    topic: headers["sitewire-topic"],
    partition: headers["sitewire-partition"],
    offset: Number(headers["sitewire-offset"]),
    isDated: Math.abs(Date.now() - Number(headers["sitewire-time"])) < 3_600_000,
  }))
  expect(origins.toSorted((a, b) => a.offset - b.offset)).toEqual(
    bad.map((_, offset) => ({
      topic: it.names.sitePaid,
      partition: String(place?.partition),
      offset,
      isDated: true,
    })),
  )
  expect(dispatcher.output()).not.toContain("owner@shop.example")
  await partner.close()
})

test("a corrected event with the same id is delivered, although the invalid one is rejected in the same batch", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const invalid = await it.read(it.names.sitePaidInvalid)
  const wrong = paid("shop", { channel: "typo" })
  await it.publishPaid([wrong, wrong, paid("shop"), paid("shop"), paid("other")])
  const dispatcher = await it.dispatcher()
  await waitUntil("both deliveries", () => partner.received.length === 2)
  await waitUntil("the rejections", () => invalid.length === 2)
  expect(invalid.map(refusal)).toEqual(["unknown channel", "unknown channel"])
  expect(partner.received.map(({ body }) => JSON.parse(String(body)).site_url).toSorted()).toEqual([
    "https://other.example",
    "https://shop.example",
  ])
  const metrics = await dispatcher.metrics()
  const of = (outcome: string) =>
    Number(new RegExp(`^sitewire_site_paid_total\\{outcome="${outcome}".*\\} (\\d+)`, "m").exec(metrics)?.[1])
  expect(["accepted", "duplicate", "invalid"].map(of)).toEqual([2, 1, 2])
  await partner.close()
})

test("an invalid record that is too large for the invalid topic blocks no partition: its origin, key and correlation are published", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const invalid = await it.read(it.names.sitePaidInvalid)
  const kafka = connectKafka({ brokers: kafkaBrokers(), clientId: "test", log })
  const publisher = await startProducer({ kafka, maxBatchBytes: 1_040_000 })
  const headers = { correlation: "c-1", large: "x".repeat(1_000) }
  const large = { topic: it.names.sitePaid, key: "shop", value: "x".repeat(950_000), headers }
  await publisher.publish([large])
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the rejection", () => invalid.length === 1)
  const [record] = invalid
  expect(refusal(record)).toMatch(/^not JSON; not stored here \(.* has 95\d{4} bytes; .*\): 950000 bytes$/)
  expect(record).toMatchObject({
    key: "shop",
    value: null,
    headers: { correlation: "c-1", "sitewire-topic": it.names.sitePaid },
  })
  await waitUntil("the delivery behind it", () => partner.received.length === 1)
  await publisher.close(1_000)
  await partner.close()
})
