import { expect, onTestFinished, test } from "vitest"
import { createClient } from "./connect.ts"
import { type ConsumerOptions, startConsumer } from "./consume.ts"
import { committedOffsets, makeTopic, realBroker, uniqueName, withAdmin } from "./fixtures/realBroker.ts"
import { until } from "./fixtures/until.ts"
import { startProducer } from "./publish.ts"

const kafka = realBroker()

async function consume(group: string, topics: ConsumerOptions["topics"], take: ConsumerOptions["take"]) {
  const consumer = await startConsumer({
    kafka,
    group,
    topics,
    maxInHand: 1_000,
    sessionTimeoutMs: 6_000,
    take,
  })
  onTestFinished(() => consumer.close(100).then(() => {}))
}

async function publish(records: { topic: string; key: string; value: string }[]): Promise<void> {
  const producer = await startProducer({ kafka })
  await producer.publish(records)
  await producer.close(1_000)
}

/** Members of a group that is settled. */
const membersOf = (group: string) =>
  withAdmin(kafka, async (admin) => {
    const [described] = (await admin.describeGroups([group])).groups
    return described?.state === "Stable" ? described.members.length : 0
  })

const committed = async (group: string, topics: string[]) => {
  const offsets = await Promise.all(topics.map((topic) => committedOffsets(kafka, group, topic)))
  return offsets
    .flatMap((of) => Object.values(of))
    .reduce((sum, offset) => sum + Math.max(0, Number(offset)), 0)
}

test("records with one key come to one member, in whatever topic and however many members there are", async () => {
  const group = uniqueName("group")
  const topics = await Promise.all(Array.from({ length: 3 }, () => makeTopic(kafka, { partitions: 6 })))
  const keys = Array.from({ length: 40 }, (_, n) => `key-${n}`)
  /** By key, the members that have had it since the last member came. */
  let seen = new Map<string | null, Set<number>>()
  for (let member = 0; member < 4; member++) {
    await consume(
      group,
      topics.map((topic) => ({ topic })),
      (records, done) => {
        for (const record of records) {
          const members = seen.get(record.key) ?? new Set()
          seen.set(record.key, members.add(member))
          done(record)
        }
      },
    )
  }
  await until(async () => (await membersOf(group)) === 4)
  seen = new Map()
  await publish(topics.flatMap((topic) => keys.map((key) => ({ topic, key, value: "x" }))))
  await until(async () => (await committed(group, topics)) === topics.length * keys.length)
  expect([...seen.values()].map(({ size }) => size)).toEqual(keys.map(() => 1))
  expect(new Set([...seen.values()].flatMap((members) => [...members])).size).toBe(4)
})

test("a member of a version that assigns otherwise can be in the group meanwhile", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 6 }), uniqueName("group")]
  const older = createClient(kafka, { requestTimeoutMs: 5_000, retries: 1 }).consumer({ groupId: group })
  await older.connect()
  await older.subscribe({ topics: [topic], fromBeginning: true })
  const taken = { older: 0, newer: 0 }
  await older.run({ eachMessage: async () => void taken.older++ })
  await consume(group, [{ topic }], (records) => {
    taken.newer += records.length
  })
  await until(async () => (await membersOf(group)) === 2)
  await publish(Array.from({ length: 60 }, (_, n) => ({ topic, key: String(n), value: "x" })))
  await until(() => taken.older + taken.newer === 60)
  expect(Math.min(taken.older, taken.newer)).toBeGreaterThan(0)
  await older.disconnect()
})
