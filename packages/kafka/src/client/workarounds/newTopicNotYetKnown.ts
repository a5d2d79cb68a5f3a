/*
 * Defect of kafkajs 2.2.4: after a topic was created, `createTopics` waits for its leaders but fails at once if the broker that
 * it asks does not know the topic yet. Effect: a setup that succeeded is reported as failed.
 * Delete this file when the client waits for the topic as well.
 */
import { isProtocolError } from "../isProtocolError.ts"

/** True if `createTopics` created the topic and failed only to find it afterwards. */
export function wasCreated(error: unknown): boolean {
  return isProtocolError(error, "UNKNOWN_TOPIC_OR_PARTITION")
}
