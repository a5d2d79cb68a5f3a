import { startReceiver } from "@sitewire/cli/receivers"
import { deliveryRows } from "@sitewire/deliveries/fixtures/deliverySql"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("a delivery whose retry period ends while its breaker is open is dead: in its row, in Kafka and in the metrics", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver((_, response) => void response.writeHead(500).end())
  await it.channel("acme", partner.url)
  const letters = await it.read(it.names.dead)
  const dispatcher = await it.dispatcher({
    RETRY_PERIOD: "1h",
    BREAKER_FAILURES: "1",
    BREAKER_COOLDOWN: "1h",
  })
  await it.publishPaid([paid("attempted")])
  await waitUntil("the attempt that opens the breaker", () => partner.received.length === 1)
  await it.publishPaid([paid("never-attempted")])

  const waiting = await waitUntil("it to be deferred", async () => {
    const text = await dispatcher.metrics()
    return /^sitewire_deliveries_deferred_total\{reason="breaker".*\} [1-9]/m.test(text) && text
  })
  expect(waiting).toMatch(/^sitewire_breakers_open(\{.*\})? 1$/m)
  await waitUntil("both to wait", async () => (await it.count("deferred_reason = 'breaker'")) === 2)
  expect(letters).toEqual([])
  // As if they had waited for the breaker for two hours.
  await it.sql("update waiting_delivery set period_started_at = period_started_at - interval '2 hours'")
  await waitUntil("both dead letters", () => letters.length === 2)
  const state = () =>
    it.sql(`select event_id, state, attempts, next_attempt_at from ${deliveryRows} order by event_id`)
  await waitUntil("both rows", async () => (await state()).every((row) => row.state === "dead"))
  expect(await state()).toEqual([
    { event_id: "attempted", state: "dead", attempts: 1, next_attempt_at: null },
    { event_id: "never-attempted", state: "dead", attempts: 0, next_attempt_at: null },
  ])
  expect(letters.map(({ value }) => JSON.parse(String(value)).last_error)).toEqual([
    "not-attempted",
    "not-attempted",
  ])
  expect(await dispatcher.metrics()).toMatch(/^sitewire_deliveries_dead_total(\{.*\})? 2$/m)
  expect(partner.received).toHaveLength(1)
  await partner.close()
})
