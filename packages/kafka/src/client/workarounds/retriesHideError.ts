/*
 * Defect of kafkajs 2.2.4: after its retries it throws KafkaJSNumberOfRetriesExceeded instead of the broker's
 * error.
 * Effect: callers do not recognise a missing topic.
 * Delete this file when kafkajs throws the last error itself.
 */
import kafkajs from "kafkajs"

export function unwrapRetries(error: unknown): unknown {
  return error instanceof kafkajs.KafkaJSNumberOfRetriesExceeded ? unwrapRetries(error.cause) : error
}
