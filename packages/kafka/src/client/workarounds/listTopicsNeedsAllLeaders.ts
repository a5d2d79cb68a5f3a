/*
 * Defect of kafkajs 2.2.4: `listTopics` and `describeCluster` fail with LEADER_NOT_AVAILABLE while any partition of any topic
 * in the cluster has no leader, including topics of other applications. Effect: no service can check its topics, and none can
 * start, while one broker is down.
 * Delete this file when the client lists such topics, and look the name up in `listTopics()`.
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
