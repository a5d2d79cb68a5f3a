import kafkajs from "kafkajs"
import { unwrapRetries } from "./workarounds/retriesHideError.ts"

export function isProtocolError(error: unknown, type: string): boolean {
  const cause = unwrapRetries(error)
  return cause instanceof kafkajs.KafkaJSProtocolError && cause.type === type
}
