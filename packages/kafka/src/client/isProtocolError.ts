import kafkajs from "kafkajs"
import { unwrapRetries } from "./workarounds/retriesHideError.ts"

/** @param type the error's name in the protocol, such as `UNKNOWN_TOPIC_OR_PARTITION`. */
export function isProtocolError(error: unknown, type: string): boolean {
  const cause = unwrapRetries(error)
  return cause instanceof kafkajs.KafkaJSProtocolError && cause.type === type
}
