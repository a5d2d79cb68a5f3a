import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { fastestBurst } from "../fixtures/fastestBurst.ts"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"
import { waitForAttempts } from "../fixtures/waitForAttempts.ts"

test("a partner that hangs does not delay another", async () => {
  await using it = await startInstallation()
  const hangs = await startReceiver(() => {})
  const answers = await startReceiver()
  await it.channel("acme", answers.url)
  await it.channel("hangs", hangs.url)
  await it.dispatcher({
    MAX_OUTSTANDING_RECORDS: "64",
    CHANNEL_MAX_CONCURRENCY: "4",
    CHANNEL_MAX_WAIT: "100ms",
    // Longer than the test waits for a burst, so that no attempt times out.
    DELIVERY_TIMEOUT: "150s",
  })
  const alone = await fastestBurst(it, "acme", answers)
  await it.publishPaid(Array.from({ length: 300 }, (_, at) => paid(`hang-${at}`, { channel: "hangs" })))
  await waitUntil("the hanging ones to fill their bound", () => hangs.received.length === 4)
  expect(await fastestBurst(it, "acme", answers)).toBeLessThan(4 * alone)
  expect(hangs.received).toHaveLength(4)
  await Promise.all([hangs.close(), answers.close()])
})

// That the permit is released before the body ends: handleDelivery.test.ts.
test("the beginning of a response body that never ends is stored", async () => {
  await using it = await startInstallation({ retryDelaysMs: [600_000] })
  const partner = await startReceiver((_, response) => {
    response.writeHead(500).write("I have more to say")
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  expect(await waitForAttempts(it, 1)).toMatchObject([{ status: 500, said: "I have more to say" }])
  await partner.close()
})
