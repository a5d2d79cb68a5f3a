import Broker from "kafkajs/src/broker/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { makeTopic, realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { until } from "../../../test/fixtures/until.ts"
import { startConsumer } from "../../consumer/startConsumer.ts"
import { createClient } from "../createClient.ts"
import { watchHeartbeats } from "./lostHeartbeatsUnreported.ts"

test("a consumer whose heartbeats get no response is unhealthy after the session timeout", {
  timeout: 20_000,
}, async () => {
  const kafka = realBroker()
  const health: [boolean, string | undefined][] = []
  const consumer = await startConsumer({
    kafka,
    group: uniqueName("group"),
    topics: [{ topic: await makeTopic(kafka) }],
    maxOutstanding: 10,
    sessionTimeoutMs: 6_000,
    onRecords: () => {},
    onHealth: (healthy, why) => health.push([healthy, why]),
  })
  onTestFinished(() => consumer.close(100).then(() => {}))
  const heartbeat = vi.spyOn(Broker.prototype, "heartbeat").mockReturnValue(new Promise(() => {}))
  onTestFinished(() => heartbeat.mockRestore())
  await until(() => !consumer.healthy(), 12_000)
  expect(health.at(-1)).toEqual([false, expect.stringMatching(/no heartbeat response for \d+ s/)])
})

test.each([3_600_000, -3_600_000])(
  "setting the clock by %i ms does not change how long a consumer was silent",
  (byMs) => {
    vi.useFakeTimers({ toFake: ["Date", "performance", "setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const limits = { requestTimeoutMs: 1_000, retries: 0 }
    const consumer = createClient(realBroker(), limits).consumer({ groupId: uniqueName("group") })
    const silences: number[] = []
    const watch = watchHeartbeats(consumer, 6_000, (silentMs) => silences.push(silentMs))
    onTestFinished(() => watch.stop())
    vi.setSystemTime(Date.now() + byMs)
    vi.advanceTimersByTime(6_000)
    expect(silences).toEqual([])
    vi.advanceTimersByTime(1_000)
    expect(silences).toEqual([7_000])
  },
)
