import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"
import { waitForAttempts } from "../fixtures/waitForAttempts.ts"

test("a partner that hangs does not delay another", async () => {
  await using it = await startInstallation({ retryDelaysMs: [1_000] })
  const hangs = await startReceiver(() => {})
  const answers = await startReceiver()
  await it.channel("acme", answers.url)
  await it.channel("hangs", hangs.url)
  await it.dispatcher({
    MAX_OUTSTANDING_RECORDS: "64",
    CHANNEL_MAX_CONCURRENCY: "4",
    CHANNEL_MAX_WAIT: "100ms",
    DELIVERY_TIMEOUT: "5s",
  })
  await it.publishPaid(Array.from({ length: 300 }, (_, at) => paid(`hang-${at}`, { channel: "hangs" })))
  await waitUntil("the hanging ones to fill their bound", () => hangs.received.length === 4)
  const startedAt = Date.now()
  await it.publishPaid(Array.from({ length: 50 }, (_, at) => paid(`fine-${at}`)))
  await waitUntil("all others", () => answers.received.length === 50)
  expect(Date.now() - startedAt).toBeLessThan(4_000)
  expect(hangs.received).toHaveLength(4)
  await Promise.all([hangs.close(), answers.close()])
})

test("a response body that never ends uses no permit: ten attempts pass a channel that allows one at a time", async () => {
  await using it = await startInstallation({ retryDelaysMs: [600_000] })
  const partner = await startReceiver((_, response) => {
    response.writeHead(500).write("I have more to say")
  })
  await it.channel("acme", partner.url)
  await it.dispatcher({ CHANNEL_MAX_CONCURRENCY: "1", CHANNEL_MAX_WAIT: "30s", BREAKER_FAILURES: "100" })
  await it.publishPaid(Array.from({ length: 10 }, (_, at) => paid(`shop-${at}`)))
  await waitUntil("all", () => partner.received.length === 10)
  const times = partner.received.map(({ at }) => at).toSorted((a, b) => a - b)
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0))
  // Waiting for the body would make each gap 250 ms. A machine that stalls now and then
  // makes some gaps long, but not most.
  expect(gaps.filter((ms) => ms < 200).length, `gaps of ${gaps.join(", ")} ms`).toBeGreaterThan(4)
  const rows = await waitForAttempts(it, 10)
  expect(new Set(rows.map(({ said }) => said))).toEqual(new Set(["I have more to say"]))
  await partner.close()
})
