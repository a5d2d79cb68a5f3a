import type { SpanAttributes } from "./tracing.ts"

/** Attributes of the semantic conventions for the span that publishes a record. */
export function sendAttributes(topic: string): SpanAttributes {
  return describe("send", topic)
}

/** Attributes of the semantic conventions for the span that processes a record. */
export function processAttributes(record: {
  topic: string
  partition: number
  offset: string
}): SpanAttributes {
  return {
    ...describe("process", record.topic),
    "messaging.destination.partition.id": String(record.partition),
    "messaging.kafka.offset": Number(record.offset),
  }
}

function describe(operation: "send" | "process", topic: string): SpanAttributes {
  return {
    "messaging.system": "kafka",
    "messaging.operation.name": operation,
    "messaging.operation.type": operation,
    "messaging.destination.name": topic,
  }
}
