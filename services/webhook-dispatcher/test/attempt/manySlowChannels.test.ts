import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { fastestBurst } from "../fixtures/fastestBurst.ts"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

// Together, these partners could use up all outstanding records.
const crowd = 12
const burstPerPartner = 60

test("a dozen partners that hang or respond slowly do not delay another, neither at first nor when the limiter knows that they are slow", async () => {
  await using it = await startInstallation()
  const pendingResponses: (() => void)[] = []
  let hanging = true
  let responded = 0
  const slow = await startReceiver((_, response) => {
    const respond = () => {
      responded += 1
      response.writeHead(204).end()
    }
    if (hanging) pendingResponses.push(respond)
    // More than the 500 ms from which on a partner counts as slow.
    else setTimeout(respond, 600)
  })
  const quick = await startReceiver()
  const names = Array.from({ length: crowd }, (_, at) => `slow-${at}`)
  for (const name of names) await it.channel(name, slow.url)
  await it.channel("quick", quick.url)
  await it.dispatcher({
    // Half of what the partners could use together when each has reached its largest limit of 32.
    MAX_OUTSTANDING_RECORDS: "192",
    // Longer than the test waits for a burst, so that no attempt times out.
    DELIVERY_TIMEOUT: "150s",
  })
  const alone = await fastestBurst(it, "quick", quick)
  async function expectQuickBurstsBeside(round: number) {
    const burst = names.flatMap((channel) =>
      Array.from({ length: burstPerPartner }, (_, at) => paid(`${channel}-${round}-${at}`, { channel })),
    )
    const received = quick.received.length + 1
    await it.publishPaid([...burst, paid(`last-${round}`, { channel: "quick" })])
    await waitUntil("the quick partner's delivery", () => quick.received.length === received)
    await waitUntil("all of them to be in flight or deferred", async () => {
      const pending = await it.count("state = 'pending'")
      return pendingResponses.length + pending >= crowd * burstPerPartner
    })
    const before = responded
    expect(await fastestBurst(it, "quick", quick)).toBeLessThan(4 * alone)
    expect(responded).toBe(before)
  }

  await expectQuickBurstsBeside(1)
  const hangsSince = performance.now()
  await waitUntil("them to count as slow", () => performance.now() - hangsSince > 600)
  hanging = false
  for (const respond of pendingResponses.splice(0)) respond()
  await waitUntil("their deliveries", () => responded === crowd * burstPerPartner)
  await waitUntil("the rows", async () => (await it.count("state = 'pending'")) === 0)

  // Each partner has reached the largest limit of concurrent attempts. They count as slow while they have one in flight.
  hanging = true
  await it.publishPaid(names.map((channel) => paid(`${channel}-hangs`, { channel })))
  await waitUntil("an attempt of each", () => pendingResponses.length === crowd)
  await expectQuickBurstsBeside(2)
  expect(quick.received.every(({ headers }) => headers["x-sitewire-attempt"] === "1")).toBe(true)
  await Promise.all([slow.close(), quick.close()])
})
