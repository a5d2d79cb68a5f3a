/*
 * Defect of kafkajs 2.2.4: `listTopics` fails with LEADER_NOT_AVAILABLE while any partition in the cluster
 * has no leader, even one of another application.
 * Effect: no service can start while one broker is down.
 * Delete this file when kafkajs lists topics without leaders, and use `listTopics`.
 */
import type { Admin } from "kafkajs"
import { isProtocolError } from "../isProtocolError.ts"

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
