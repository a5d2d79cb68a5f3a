import { setTimeout as sleep } from "node:timers/promises"
import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

// Together, these partners could use up all outstanding records.
const crowd = 12

test.each([
  ["hang", 60_000],
  ["respond after 9 s", 9_000],
])("a dozen partners that %s do not delay another", { timeout: 60_000 }, async (_, responseMs) => {
  await using it = await startInstallation()
  const slow = await startReceiver((_, response) => {
    setTimeout(() => response.writeHead(204).end(), responseMs)
  })
  const quick = await startReceiver()
  const names = Array.from({ length: crowd }, (_, at) => `slow-${at}`)
  for (const name of names) await it.channel(name, slow.url)
  await it.channel("quick", quick.url)
  await it.dispatcher()
  const burst = (round: number) =>
    names.flatMap((channel) =>
      Array.from({ length: 60 }, (_, at) => paid(`${channel}-${round}-${at}`, { channel })),
    )
  const tookMs: number[] = []
  // After the first burst, and again when the limiter knows that they are slow.
  for (let round = 0; round < 3; round++) {
    const count = quick.received.length
    const publishedAt = Date.now()
    await it.publishPaid([...burst(round), paid(`quick-${round}`, { channel: "quick" })])
    await waitUntil("the quick partner's", () => quick.received.length > count)
    tookMs.push(Date.now() - publishedAt)
    await sleep(1_000)
  }
  // Without the cap for slow channels, it took more than 9 s.
  expect(Math.max(...tookMs)).toBeLessThan(5_000)
  await Promise.all([slow.close(), quick.close()])
})
