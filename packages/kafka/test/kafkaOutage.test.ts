import { expect, onTestFinished, test } from "vitest"
import { checkBroker } from "../src/client/checkBroker.ts"
import { connectKafka } from "../src/client/connectKafka.ts"
import { type Consumer, startConsumer } from "../src/consumer/startConsumer.ts"
import { startProducer } from "../src/producer/startProducer.ts"
import { interceptConnections } from "./fixtures/interceptConnections.ts"
import { committedOffsets, makeTopic, realBroker, silentLog, uniqueName } from "./fixtures/realBroker.ts"
import { until } from "./fixtures/until.ts"

// brokerFaults.extended.test.ts kills and suspends real brokers.
test.each(["refuse", "silence"] as const)(
  "in an outage (%s) publishing rejects in time and the consumer is unhealthy; afterwards both recover",
  async (fault) => {
    let restarts = 0
    const log = {
      ...silentLog,
      warn: (_: object, message: string) => void (message === "consumer restarts" && restarts++),
    }
    const kafka = connectKafka({ ...realBroker(), log })
    const [topic, group] = [await makeTopic(kafka, { partitions: 3 }), uniqueName("group")]
    const connections = interceptConnections()
    const producer = await startProducer({ kafka, deadlineMs: 2_000 })
    const seen = new Set<string>()
    const health: [boolean, string | undefined][] = []
    const consumer = await startConsumer({
      kafka,
      group,
      topics: [{ topic }],
      maxOutstanding: 100,
      sessionTimeoutMs: 6_000,
      onRecords(records, done) {
        for (const record of records) {
          seen.add(record.value?.toString() ?? "")
          done(record)
        }
      },
      onHealth: (healthy, why) => health.push([healthy, why]),
    })
    const publish = (from: number) =>
      producer.publish(
        Array.from({ length: 100 }, (_, n) => ({ topic, key: String(n), value: String(from + n) })),
      )
    await publish(0)
    await until(() => seen.size === 100)

    connections[fault]()
    const start = performance.now()
    const silence = /within 2000 ms \((no broker of .* responded|Request .* timed out)\)/
    await expect(publish(100)).rejects.toThrow(/within 2000 ms \(.+\)/)
    // The leaders are unknown already when this one begins.
    await expect(publish(300)).rejects.toThrow(fault === "refuse" ? /\(.*ECONNREFUSED.*\)/ : silence)
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(await checkBroker({ kafka, deadlineMs: 1_000 })).toMatchObject({ status: "unreachable" })
    await until(() => !consumer.healthy())
    if (fault === "silence") expect(health.at(-1)?.[1]).toMatch(/no heartbeat response for \d+ s/)
    else await until(() => restarts >= 3)

    connections.restore()
    await until(() => consumer.healthy())
    await publish(200)
    await until(() => [...Array(100).keys()].every((n) => seen.has(String(200 + n))))
    expect(health.map(([healthy]) => healthy)).toEqual([true, false, true])
    await until(async () => {
      const offsets = Object.values(await committedOffsets(kafka, group, topic)).map(Number)
      return offsets.reduce((sum, offset) => sum + offset) >= 200
    })
    expect(await consumer.close(60_000)).toEqual({ drained: true })
    await producer.close(1_000)
  },
)

test("while the broker is down, consumer and producer close within their deadlines", async () => {
  const kafka = realBroker()
  const topic = await makeTopic(kafka)
  const connections = interceptConnections()
  const producer = await startProducer({ kafka, deadlineMs: 60_000 })
  await producer.publish([{ topic, key: null, value: "outstanding" }])
  const startOne = (group: string): Promise<Consumer> =>
    startConsumer({ kafka, group, topics: [{ topic }], maxOutstanding: 10, onRecords: () => {} })
  const [first, second] = await Promise.all([startOne(uniqueName("a")), startOne(uniqueName("b"))])
  onTestFinished(async () => {
    await Promise.all([first.close(0), second.close(0), producer.close(0)])
  })
  await until(() => first.outstanding() === 1 && second.outstanding() === 1)
  connections.refuse()
  const rejected = expect(producer.publish([{ topic, key: null, value: "never" }])).rejects.toThrow(/closed/)
  const start = performance.now()
  // One closes at once, the other after it has noticed the outage.
  expect(await first.close(2_000)).toEqual({ drained: false })
  await until(() => !second.healthy())
  expect(await second.close(2_000)).toEqual({ drained: false })
  await producer.close(1_000)
  expect(performance.now() - start).toBeLessThan(40_000)
  await rejected
})
