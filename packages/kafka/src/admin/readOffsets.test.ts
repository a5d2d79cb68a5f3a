import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { makeTopic, realBroker, uniqueName } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { startConsumer } from "../consumer/startConsumer.ts"
import { startProducer } from "../producer/startProducer.ts"
import { groupLag } from "./groupLag.ts"
import { committedOffsets, offsetsAt } from "./readOffsets.ts"

const kafka = realBroker()

test("offsets are found by time, and a group's committed offsets by partition", async () => {
  const topic = await makeTopic(kafka)
  const producer = await startProducer({ kafka })
  await producer.publish([{ topic, key: "old", value: "old" }])
  // Timestamps are whole milliseconds.
  await sleep(20)
  const since = Date.now()
  await sleep(20)
  await producer.publish([{ topic, key: "new", value: "new" }])
  await producer.close(1_000)
  expect(await offsetsAt({ kafka, topic, since: 0 })).toEqual({ 0: "0" })
  expect(await offsetsAt({ kafka, topic, since })).toEqual({ 0: "1" })
  expect(await offsetsAt({ kafka, topic, since: Date.now() + 60_000 })).toEqual({ 0: "2" })

  const group = uniqueName("group")
  expect(await committedOffsets({ kafka, topic, group })).toEqual({})
  const consumer = await startConsumer({
    kafka,
    group,
    topics: [{ topic }],
    maxOutstanding: 10,
    onRecords: (records, done) => records.forEach(done),
  })
  await until(async () => (await groupLag(kafka, group, [topic])).every(({ lag }) => lag === 0))
  expect(await committedOffsets({ kafka, topic, group })).toEqual({ 0: "2" })
  await consumer.close(1_000)
})
