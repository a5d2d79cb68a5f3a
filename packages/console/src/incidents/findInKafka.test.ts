import { groupNames } from "@sitewire/contracts"
import { startConsumer, startProducer } from "@sitewire/kafka"
import { freshTopics, startTransaction, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { readTopicsOf } from "../kafka/readTopics.ts"
import { topicReaderOn } from "../kafka/topicReader.ts"
import { topicStatus } from "../kafka/topicStatus.ts"
import { createFindInKafka } from "./findInKafka.ts"
import { incidentKinds } from "./incidentKinds.ts"

test("missing topics and invalid events of a day are found", async () => {
  const { kafka, names, prefix } = await freshTopics({ retryDelaysMs: [200, 400] })
  const producer = await startProducer({ kafka })
  const topic = names.sitePaidInvalid
  await producer.publish(["a", "b", "c"].map((key) => ({ topic, key, value: "{}" })))
  await producer.close(1_000)
  // One more delay than the topics were created for.
  const settings = { kafka, prefix, retryDelaysMs: [200, 400, 800], retryPeriodMs: 3_600_000 }
  const readTopics = readTopicsOf({ ...settings, deadlineMs: 120_000 })
  // A broker that has just started may not know the coordinator of a group yet.
  const find = (of: string) =>
    waitUntil("Kafka to be read", () => {
      const invalid = topicReaderOn({ kafka, topic: of })
      return createFindInKafka({ readTopics, invalid, prefix })()
    })
  const found = await find(topic)
  expect(found.get("event.invalid")).toMatchObject([{ subject_id: topic, details: { events: 3 } }])
  expect(found.get("topic.missing")?.map(({ subject_id }) => subject_id)).toHaveLength(1)
  expect(found.get("topic.behind")).toEqual([])
  expect((await find(names.sitePaid)).get("event.invalid")).toEqual([])
})

test("a transaction that is open is named as the reason why a topic is behind", async () => {
  const { kafka, names, prefix } = await freshTopics({ retryDelaysMs: [200] })
  const open = await startTransaction(names.sitePaid, ["{}"], 1)
  const producer = await startProducer({ kafka })
  await producer.publish([{ topic: names.sitePaid, key: null, value: "{}" }])
  await producer.close(1_000)
  const settings = { kafka, prefix, retryDelaysMs: [200], retryPeriodMs: 3_600_000, deadlineMs: 120_000 }
  const since = new Date(Date.now() - 70_000)
  const readTopics = async () =>
    (await readTopicsOf(settings)()).map((topic) => ({
      ...topic,
      // As if the transaction had been open for more than a minute.
      partitions: (topic.partitions ?? []).map((each) =>
        each.openTransaction === null
          ? each
          : { ...each, oldestUnreadAt: since, openTransaction: { ...each.openTransaction, since } },
      ),
    }))
  const invalid = topicReaderOn({ kafka, topic: names.sitePaidInvalid })
  const behind = (await createFindInKafka({ readTopics, invalid, prefix })()).get("topic.behind")
  expect(behind).toMatchObject([
    { subject_id: names.sitePaid, since, details: { records: 2, partition: 1, first_offset: "0" } },
  ])
  expect(incidentKinds["topic.behind"].texts(names.sitePaid, behind?.[0]?.details ?? {}).next).toContain(
    "transaction that is open in partition 1",
  )
  await open.end("abort")
})

test("an idle installation whose schedulers are all missing for longer than a deployment takes is noticed", async () => {
  const { kafka, names, prefix } = await freshTopics({ retryDelaysMs: [200] })
  const start = () =>
    startConsumer({
      kafka,
      group: groupNames(prefix).triggers,
      topics: [{ topic: names.connectorTriggered }],
      maxOutstanding: 1,
      onRecords: () => {},
    })
  const settings = { kafka, prefix, retryDelaysMs: [200], retryPeriodMs: 3_600_000, deadlineMs: 120_000 }
  const invalid = topicReaderOn({ kafka, topic: names.sitePaidInvalid })
  const find = createFindInKafka({ readTopics: readTopicsOf(settings), invalid, prefix })
  const startedAt = Date.now()
  const missingAt = async (seconds: number) => {
    const at = new Date(startedAt + 1_000 * seconds)
    return (await waitUntil("Kafka to be read", () => find(at))).get("scheduler.missing")
  }
  expect(await missingAt(0)).toBeUndefined()
  expect(await missingAt(60)).toBeUndefined()
  const scheduler = await start()
  expect(await missingAt(120)).toEqual([])
  await scheduler.close(10_000)
  expect(await missingAt(180)).toEqual([])
  const since = new Date(startedAt + 180_000)
  expect(await missingAt(240)).toEqual([{ subject_id: "schedulers", since, details: {} }])
  const other = await start()
  expect(await missingAt(300)).toEqual([])
  await other.close(10_000)
})

test("a topic is behind if its oldest unread record is older than a minute, unless records wait in it", () => {
  const statusOf = (name: string, oldestMs: number) =>
    topicStatus({
      topic: { name, purpose: "" } as Parameters<typeof topicStatus>[0]["topic"],
      group: "g",
      partitions: [
        {
          partition: 0,
          records: 9,
          lag: 9,
          oldestUnreadAt: new Date(Date.now() - oldestMs),
          openTransaction: null,
        },
      ],
    }).behind
  expect(statusOf("site.paid", 70_000)).toBe(true)
  expect(statusOf("site.paid", 50_000)).toBe(false)
  expect(statusOf("site.ready.retry.1h", 70_000)).toBe(false)
})
