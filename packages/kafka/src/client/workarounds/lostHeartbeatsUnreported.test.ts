import Broker from "kafkajs/src/broker/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { makeTopic, realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { until } from "../../../test/fixtures/until.ts"
import { startConsumer } from "../../consumer/startConsumer.ts"

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
