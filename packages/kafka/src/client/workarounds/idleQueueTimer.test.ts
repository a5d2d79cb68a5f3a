import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { realBroker } from "../../../test/fixtures/realBroker.ts"
import { startProducer } from "../../producer/startProducer.ts"

test("a connection that nothing is sent on wakes nobody", async () => {
  const producer = await startProducer({ kafka: realBroker() })
  const before = performance.nodeTiming.uvMetricsInfo.loopCount
  await sleep(1_000)
  const turns = performance.nodeTiming.uvMetricsInfo.loopCount - before
  await producer.close(1_000)
  // kafkajs looks ten times a second whether an answer is overdue. With a timer of a millisecond there are 800.
  expect(turns).toBeLessThan(100)
})
