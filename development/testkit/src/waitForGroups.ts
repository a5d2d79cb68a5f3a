import { connectKafka, ensureTopics, groupLag } from "@sitewire/kafka"
import { readyWithinMs } from "./deadlines.ts"
import { silentLog } from "./installation/silentLog.ts"
import { waitUntil } from "./waitUntil.ts"

const topic = "tests-ready"
/**
 * A new broker makes its topic of offsets for the first group, and loads its partitions then, which takes seconds on a busy
 * machine. Meanwhile, groups get errors, which tests of groups do not expect. The group's name decides on the partition.
 */
export async function waitForGroups(brokers: readonly string[]): Promise<void> {
  const kafka = connectKafka({ brokers: [...brokers], clientId: "tests", log: silentLog })
  await ensureTopics({ kafka, topics: [{ name: topic, partitions: 1, config: {} }] })
  for (let at = 0; at < 16; at++) {
    const read = () => groupLag(kafka, `${topic}-${at}`, [topic])
    await waitUntil("a coordinator of groups", read, readyWithinMs)
  }
}
