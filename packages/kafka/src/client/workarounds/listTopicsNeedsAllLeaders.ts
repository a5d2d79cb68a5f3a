import type { Admin } from "kafkajs"
import { isProtocolError } from "../isProtocolError.ts"

/**
 * Asks for this topic and no other. Whoever asks kafkajs for the topics of a cluster, or for its brokers, gets an error
 * while a single partition lacks its leader, of anybody's topic.
 */
export async function hasTopic(admin: Admin, topic: string): Promise<boolean> {
  try {
    await admin.fetchTopicMetadata({ topics: [topic] })
    return true
  } catch (error) {
    if (isProtocolError(error, "UNKNOWN_TOPIC_OR_PARTITION")) return false
    if (isProtocolError(error, "LEADER_NOT_AVAILABLE")) return true
    throw error
  }
}
