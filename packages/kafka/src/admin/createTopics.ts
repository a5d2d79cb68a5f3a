import { setTimeout as sleep } from "node:timers/promises"
import type { Admin } from "kafkajs"
import { reasonOf } from "../client/log.ts"
import { creationReasons } from "../client/workarounds/createTopicsHidesReasons.ts"
import { wasCreated } from "../client/workarounds/newTopicNotYetKnown.ts"
import type { TopicSpec } from "./topicSpec.ts"

const leadersWithinMs = 30_000

/** Returns the topics that it created, without those that another process created first. */
export async function createTopics(
  admin: Admin,
  topics: TopicSpec[],
  replicationFactor: number,
): Promise<string[]> {
  const created: string[] = []
  // One request for each topic: if another process has created one of several, kafkajs returns `false` for
  // all.
  for (const { name, partitions, config } of topics) {
    const creating = admin.createTopics({
      waitForLeaders: true,
      topics: [
        {
          topic: name,
          numPartitions: partitions,
          replicationFactor,
          configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
        },
      ],
    })
    const isNew = await creating.catch((error: unknown) => {
      if (wasCreated(error)) return true
      throw new Error(`Topic ${name} could not be created: ${creationReasons(error)}.`, { cause: error })
    })
    // Also for a topic that another process has just created, perhaps with fewer partitions.
    await waitForLeaders(admin, name, isNew ? partitions : 1)
    if (isNew) created.push(name)
  }
  return created
}

/** A new topic cannot be used before its partitions have leaders. */
async function waitForLeaders(admin: Admin, topic: string, count: number): Promise<void> {
  for (const until = performance.now() + leadersWithinMs; ; await sleep(50)) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      const leaders = topics.flatMap(({ partitions }) => partitions.filter(({ leader }) => leader >= 0))
      if (leaders.length >= count) return
      if (performance.now() > until) throw new Error("a partition has no leader")
    } catch (error) {
      if (performance.now() > until)
        throw new Error(
          `Topic ${topic} was created but cannot be used after ${leadersWithinMs} ms: ${reasonOf(error)}. ` +
            "Check that enough brokers run for its replication factor.",
          { cause: error },
        )
    }
  }
}
