import { startReceiver } from "@sitewire/cli/receivers"
import { type DeliveryOutcome, deliveryOutcomeSchema } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

async function followOutcomes(it: TestInstallation): Promise<() => DeliveryOutcome[]> {
  const records = await it.read(it.names.outcome)
  return () => records.map(({ value }) => deliveryOutcomeSchema.parse(JSON.parse(String(value))))
}

test("with PUBLISH_OUTCOMES, publishers hear once what became of each event, and of a dead one that is resent again", async () => {
  // The second retry would be due after the retry period.
  await using it = await startInstallation({ retryDelaysMs: [300, 600_000] })
  const outcomes = await followOutcomes(it)
  const answers: Record<string, number[]> = { "at-once": [204], retried: [500, 204], dies: [500, 500, 204] }
  const receiver = await startReceiver((request, response) => {
    const { site_url } = JSON.parse(request.body.toString()) as { site_url: string }
    response.writeHead(answers[new URL(site_url).hostname.replace(".example", "")]?.shift() ?? 500).end()
  })
  await it.channel("acme", receiver.url)
  await it.channel("paused", receiver.url)
  await it.pause("paused")
  await it.dispatcher({ PUBLISH_OUTCOMES: "true", RETRY_PERIOD: "1m" })
  await it.publishPaid(["at-once", "retried", "dies"].map((id) => paid(id)))
  await it.publishPaid([paid("cancelled", { channel: "paused" })])
  await waitUntil("the paused delivery", async () => (await it.count("deferred_at is not null")) > 0)
  await it.cancel("cancelled")

  await waitUntil(
    "an outcome of each event",
    () => new Set(outcomes().map(({ event_id }) => event_id)).size === 4,
  )
  const of = (event: string) => outcomes().filter(({ event_id }) => event_id === event)
  expect(of("at-once")).toMatchObject([
    { state: "delivered", attempts: 1, channel: "acme", last_error: null },
  ])
  expect(of("retried")).toMatchObject([
    { state: "delivered", attempts: 2, delivery: await it.idOf("retried") },
  ])
  expect(of("cancelled")).toMatchObject([
    { state: "cancelled", attempts: 0, last_error: null, last_status: null },
  ])
  expect(of("dies")).toMatchObject([{ state: "dead", attempts: 2, last_error: "status", last_status: 500 }])

  await it.resend(await it.idOf("dies"))
  await waitUntil("the outcome of the resend", () => of("dies").length === 2)
  expect(of("dies")[1]).toMatchObject({ state: "delivered", attempts: 3 })
  await waitUntil(
    "the published rows to be deleted",
    async () => (await it.sql("select from ended_delivery")).length === 0,
  )
  await receiver.close()
})

test("without PUBLISH_OUTCOMES, none is published, and what the console has ended leaves no row", async () => {
  await using it = await startInstallation()
  const outcomes = await followOutcomes(it)
  const receiver = await startReceiver()
  await it.channel("acme", receiver.url)
  await it.channel("paused", receiver.url)
  await it.pause("paused")
  await it.dispatcher()
  await it.publishPaid([paid("accepted"), paid("cancelled", { channel: "paused" })])
  await waitUntil("both", async () => (await it.count()) === 2)
  await it.cancel("cancelled")
  await waitUntil(
    "the row to be deleted",
    async () => (await it.sql("select from ended_delivery")).length === 0,
  )
  expect(await it.count("state in ('delivered', 'cancelled')")).toBe(2)
  expect(outcomes()).toEqual([])
  await receiver.close()
})
