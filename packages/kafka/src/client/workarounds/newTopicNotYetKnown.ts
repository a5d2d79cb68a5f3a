/*
 * Defect of kafkajs 2.2.4: `createTopics` rejects if the broker does not know the new topic yet.
 * Effect: a setup that succeeded is reported as failed.
 * Delete this file when kafkajs waits until the broker knows the topic.
 */
import { isProtocolError } from "../isProtocolError.ts"

export function wasCreated(error: unknown): boolean {
  return isProtocolError(error, "UNKNOWN_TOPIC_OR_PARTITION")
}
