import { expect, test } from "vitest"
import { realBroker, topicConfig, uniqueName, withAdmin } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { ensureTopics } from "./ensureTopics.ts"

const kafka = realBroker()

test("missing topics are created, and a second call changes nothing", async () => {
  const topics = [
    { name: uniqueName("a"), partitions: 3, config: { "cleanup.policy": "compact,delete" } },
    { name: uniqueName("b"), partitions: 1, config: { "message.timestamp.type": "LogAppendTime" } },
  ]
  const names = topics.map(({ name }) => name)
  expect(await ensureTopics({ kafka, topics, replicationFactor: 1 })).toEqual({
    created: names,
    changed: [],
    existing: [],
  })
  expect(await ensureTopics({ kafka, topics })).toEqual({ created: [], changed: [], existing: names })
  expect(await topicConfig(kafka, names[1] ?? "")).toMatchObject({
    "message.timestamp.type": "LogAppendTime",
  })
})

test("partitions are added and settings changed, without losing settings that others made", async () => {
  const name = uniqueName("grows")
  const theirs = { "max.message.bytes": "500000" }
  await ensureTopics({
    kafka,
    topics: [{ name, partitions: 1, config: { ...theirs, "retention.ms": "1000" } }],
  })
  const wanted = { name, partitions: 4, config: { "retention.ms": "2000" } }
  expect(await ensureTopics({ kafka, topics: [wanted] })).toEqual({
    created: [],
    changed: [name],
    existing: [],
  })
  // The broker applies settings a moment after it has acknowledged them.
  await until(async () => (await topicConfig(kafka, name))["retention.ms"] === "2000")
  expect(await topicConfig(kafka, name)).toMatchObject(theirs)
  const fewer = await ensureTopics({ kafka, topics: [{ ...wanted, partitions: 2 }] })
  expect(fewer.existing).toEqual([name])
  const metadata = await withAdmin(kafka, (admin) => admin.fetchTopicMetadata({ topics: [name] }))
  expect(metadata.topics[0]?.partitions).toHaveLength(4)
})

test("several processes can ensure the same topics at once", async () => {
  const topics = ["x", "y", "z"].map((what) => ({ name: uniqueName(what), partitions: 2, config: {} }))
  const results = await Promise.all([1, 2, 3].map(() => ensureTopics({ kafka, topics })))
  expect(results.flatMap(({ created }) => created).toSorted()).toEqual(
    topics.map(({ name }) => name).toSorted(),
  )
})
