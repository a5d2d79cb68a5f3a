import type { Admin } from "kafkajs"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { createClient } from "../client/createClient.ts"
import { isProtocolError } from "../client/isProtocolError.ts"

export async function requireTopics(kafka: KafkaConnection, names: readonly string[]): Promise<void> {
  const admin = createClient(kafka, { requestTimeoutMs: 10_000, retries: 1 }).admin()
  await admin.connect()
  try {
    const topics = names.map((name) => ({ name }))
    const missing = (await missingTopics(admin, topics)).map(({ name }) => name)
    if (missing.length > 0) throw new Error(`missing: ${missing.join(", ")}`)
  } finally {
    await admin.disconnect()
  }
}

export async function missingTopics<T extends { name: string }>(
  admin: Admin,
  topics: readonly T[],
): Promise<T[]> {
  const missing: T[] = []
  for (const topic of topics) if (!(await topicExists(admin, topic.name))) missing.push(topic)
  return missing
}

/** A topic whose partitions have no leaders exists, too. */
export async function topicExists(admin: Admin, topic: string): Promise<boolean> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] })
    return true
  } catch (error) {
    if (isProtocolError(error, "UNKNOWN_TOPIC_OR_PARTITION")) return false
    if (isProtocolError(error, "LEADER_NOT_AVAILABLE")) return true
    throw error
  }
}
