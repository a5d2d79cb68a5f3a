import kafkajs, { type PartitionAssigner } from "kafkajs"
import { expect, onTestFinished, test } from "vitest"
import { makeTopic, realBroker, uniqueName, withAdmin } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { createClient } from "../client/createClient.ts"
import { startProducer } from "../producer/startProducer.ts"
import { startConsumer } from "./startConsumer.ts"

const kafka = realBroker()

/** Number of members once the group is stable. */
const membersOf = (group: string) =>
  withAdmin(kafka, async (admin) => {
    const [described] = (await admin.describeGroups([group])).groups
    return described?.state === "Stable" ? described.members.length : 0
  })

test("during an upgrade, members that prefer another assigner share the group with ours, whichever leads it", async () => {
  // The previous version proposed an assigner of its own before round robin.
  const { roundRobin } = kafkajs.PartitionAssigners
  const own: PartitionAssigner = (config) => ({ ...roundRobin(config), name: "TogetherAssigner" })
  for (const first of ["older", "newer"]) {
    const [topic, group] = [await makeTopic(kafka, { partitions: 6 }), uniqueName("group")]
    const read = { older: 0, newer: 0 }
    const startOlder = async () => {
      const older = createClient(kafka, { requestTimeoutMs: 5_000, retries: 1 }).consumer({
        groupId: group,
        partitionAssigners: [own, roundRobin],
        maxWaitTimeInMs: 250,
      })
      await older.connect()
      await older.subscribe({ topics: [topic], fromBeginning: true })
      await older.run({
        eachMessage: async () => {
          read.older += 1
        },
      })
      onTestFinished(() => older.disconnect())
    }
    const startNewer = async () => {
      const newer = await startConsumer({
        kafka,
        group,
        topics: [{ topic }],
        maxOutstanding: 1_000,
        onRecords(records, done) {
          read.newer += records.length
          records.forEach(done)
        },
      })
      onTestFinished(() => newer.close(100).then(() => {}))
    }
    for (const start of first === "older" ? [startOlder, startNewer] : [startNewer, startOlder]) await start()
    await until(async () => (await membersOf(group)) === 2)
    const producer = await startProducer({ kafka })
    await producer.publish(Array.from({ length: 60 }, (_, n) => ({ topic, key: String(n), value: "x" })))
    await producer.close(1_000)
    await until(() => read.older + read.newer === 60)
    expect(Math.min(read.older, read.newer)).toBeGreaterThan(0)
  }
})
