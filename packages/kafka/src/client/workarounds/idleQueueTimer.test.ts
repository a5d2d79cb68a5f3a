import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { realBroker } from "../../../test/fixtures/realBroker.ts"
import { startProducer } from "../../producer/startProducer.ts"

/** How often the process was woken within a second: the least of three, because work that has not ended wakes it as well. */
async function wakeUps(): Promise<number> {
  const counts: number[] = []
  while (counts.length < 3) {
    const before = performance.nodeTiming.uvMetricsInfo.loopCount
    await sleep(1_000)
    counts.push(performance.nodeTiming.uvMetricsInfo.loopCount - before)
  }
  return Math.min(...counts)
}

test("an idle connection does not wake the process", async () => {
  // What earlier tests have left in this process, such as consumers that are still leaving their groups.
  const others = await wakeUps()
  const producer = await startProducer({ kafka: realBroker() })
  const all = await wakeUps()
  await producer.close(1_000)
  // kafkajs checks ten times per second for overdue responses. With the 1 ms timer, the loop runs 800 times.
  expect(all - others).toBeLessThan(100)
})
