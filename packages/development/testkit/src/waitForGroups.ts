import { connectKafka, ensureTopics, groupLag } from "@sitewire/kafka"
import { readyWithinMs } from "./deadlines.ts"
import { silentLog } from "./installation/silentLog.ts"
import { waitUntil } from "./waitUntil.ts"

const topic = "tests-ready"
/** So many that each partition of Kafka's topic of offsets has some: the group's name decides which. */
const groups = Array.from({ length: 16 }, (_, at) => `tests-ready-${at}`)

/**
 * A new broker makes its topic of offsets for the first group, and loads its partitions then, which takes seconds on a busy
 * machine. Meanwhile, groups get errors, which tests of groups do not expect.
 */
export async function waitForGroups(brokers: readonly string[]): Promise<void> {
  const kafka = connectKafka({ brokers: [...brokers], clientId: "tests", log: silentLog })
  await ensureTopics({ kafka, topics: [{ name: topic, partitions: 1, config: {} }] })
  for (const group of groups)
    await waitUntil("a coordinator of groups", () => groupLag(kafka, group, [topic]), readyWithinMs)
}
