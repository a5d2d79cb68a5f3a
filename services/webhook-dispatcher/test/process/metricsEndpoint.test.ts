import { startReceiver } from "@sitewire/cli/receivers"
import { Registry } from "@sitewire/runtime"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("the metrics count events that wait, are outstanding and are done, and contain no personal data", async () => {
  await using it = await startInstallation()
  const pendingResponses: (() => void)[] = []
  const partner = await startReceiver((_, response) => {
    pendingResponses.push(() => response.writeHead(204).end())
  })
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher({ CHANNEL_MAX_CONCURRENCY: "3" })
  await it.publishPaid([1, 2, 3].map((n) => paid(`shop-${n}`)))

  const sum = (text: string, name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "gm"))].reduce(
      (all, [, n]) => all + Number(n),
      0,
    )
  const seen = (text: string) => ({
    lag: sum(text, "sitewire_site_paid_lag_records"),
    outstanding: sum(text, "sitewire_records_outstanding"),
    inFlight: sum(text, "sitewire_attempts_in_flight"),
    attempts: sum(text, "sitewire_attempts_total"),
  })
  await waitUntil("three attempts", () => pendingResponses.length === 3)
  expect(seen(await dispatcher.metrics())).toEqual({ lag: 3, outstanding: 3, inFlight: 3, attempts: 0 })

  for (const respond of pendingResponses) respond()
  const last = await waitUntil("the end", async () => {
    const text = await dispatcher.metrics()
    const { lag, outstanding } = seen(text)
    return lag + outstanding === 0 && text
  })
  expect(seen(last)).toEqual({ lag: 0, outstanding: 0, inFlight: 0, attempts: 3 })
  expect(last).toContain('sitewire_site_paid_total{outcome="accepted",service="webhook-dispatcher"} 3')
  expect(last).not.toMatch(/acme|shop-|@/)
  await partner.close()
})

test("metrics can be read while a dispatcher starts, and do not disturb the start", async () => {
  await using it = await startInstallation()
  const metrics = new Registry()
  let starting = true
  const reading = (async () => {
    while (starting) {
      await metrics.metrics()
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const dispatcher = await it.dispatcher({}, { metrics }).finally(() => {
    starting = false
  })
  await reading
  expect(dispatcher.readiness().ready).toBe(true)
})
