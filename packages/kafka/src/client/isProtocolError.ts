import kafkajs from "kafkajs"

/**
 * Whether a broker answered with this error; `type` is its name in the protocol, as `UNKNOWN_TOPIC_OR_PARTITION`. kafkajs
 * hides what it has tried again in vain behind an error of its own.
 */
export function isProtocolError(error: unknown, type: string): boolean {
  if (error instanceof kafkajs.KafkaJSNumberOfRetriesExceeded) return isProtocolError(error.cause, type)
  return error instanceof kafkajs.KafkaJSProtocolError && error.type === type
}
