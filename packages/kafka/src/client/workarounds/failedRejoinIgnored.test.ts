import Broker from "kafkajs/src/broker/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { protocolError } from "../../../test/fixtures/protocolError.ts"
import { makeTopic, realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { until } from "../../../test/fixtures/until.ts"
import { startConsumer } from "../../consumer/startConsumer.ts"
import { startProducer } from "../../producer/startProducer.ts"
import type { ConsumerRecord } from "../../record.ts"

test("after a rejoin that fails while the coordinator moves, records come again", async () => {
  const kafka = realBroker()
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  const producer = await startProducer({ kafka })
  onTestFinished(() => producer.close(1_000))
  const publish = (count: number) =>
    producer.publish(Array.from({ length: count }, (_, n) => ({ topic, key: String(n), value: String(n) })))
  const received: ConsumerRecord[] = []
  const consumer = await startConsumer({
    kafka,
    group,
    topics: [{ topic }],
    maxOutstanding: 1_000,
    sessionTimeoutMs: 6_000,
    onRecords(records, done) {
      received.push(...records)
      for (const record of records) done(record)
    },
  })
  onTestFinished(() => consumer.close(100).then(() => {}))
  await publish(10)
  await until(() => received.length === 10)
  // What the group's old coordinator and its new one return at the moment when neither has the group.
  const moved = protocolError("NOT_COORDINATOR_FOR_GROUP")
  const heartbeat = vi.spyOn(Broker.prototype, "heartbeat").mockRejectedValueOnce(moved)
  const loading = protocolError("GROUP_LOAD_IN_PROGRESS")
  const joinGroup = vi.spyOn(Broker.prototype, "joinGroup").mockRejectedValueOnce(loading)
  onTestFinished(() => {
    heartbeat.mockRestore()
    joinGroup.mockRestore()
  })
  await until(() => joinGroup.mock.calls.length > 0)
  await publish(10)
  await until(() => received.length === 20)
  expect(new Set(received.map(({ offset }) => offset)).size).toBe(20)
})
