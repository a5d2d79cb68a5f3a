import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { realBroker } from "../../../test/fixtures/realBroker.ts"
import { startProducer } from "../../producer/startProducer.ts"

test("an idle connection does not wake the process", async () => {
  const producer = await startProducer({ kafka: realBroker() })
  const before = performance.nodeTiming.uvMetricsInfo.loopCount
  await sleep(1_000)
  const turns = performance.nodeTiming.uvMetricsInfo.loopCount - before
  await producer.close(1_000)
  // kafkajs checks ten times per second for overdue responses. With the 1 ms timer the loop runs 800 times.
  expect(turns).toBeLessThan(100)
})
