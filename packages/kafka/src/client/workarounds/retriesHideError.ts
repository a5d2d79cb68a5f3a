/*
 * Defect of kafkajs 2.2.4: when its retries are exhausted it throws KafkaJSNumberOfRetriesExceeded, which has neither the type
 * nor the class of the broker's error.
 * Delete this file when the client throws the last error itself.
 */
import kafkajs from "kafkajs"

/** The error of the last try. */
export function unwrapRetries(error: unknown): unknown {
  return error instanceof kafkajs.KafkaJSNumberOfRetriesExceeded ? unwrapRetries(error.cause) : error
}
