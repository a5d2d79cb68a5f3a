import type { z } from "zod"
import { connectionChangedSchema } from "../events/connectionChanged.ts"
import { connectorTriggeredSchema } from "../events/connectorTriggered.ts"
import { deadLetterSchema } from "../events/deadLetter.ts"
import { deliveryOutcomeSchema } from "../events/deliveryOutcome.ts"
import { invalidRecordHeaders } from "../events/invalidRecord.ts"
import { retryRecordSchema } from "../events/retryRecord.ts"
import { sitePaidSchema } from "../events/sitePaid.ts"
import { parseDuration } from "../values/duration.ts"
import { recordJsonSchema } from "./recordJsonSchema.ts"
import { defaultRetryDelays, defaultRetryPeriod } from "./retryDefaults.ts"
import { type Topic, topicCatalogue } from "./topicCatalogue.ts"
import { topicConfig } from "./topicConfig.ts"

/** The schemas of records, by the name of their topic or, for all retry topics, of their kind. */
export const recordSchemas = {
  "site.paid": sitePaidSchema,
  "site.ready.retry": retryRecordSchema,
  "site.ready.dead": deadLetterSchema,
  "site.ready.outcome": deliveryOutcomeSchema,
  "connector.triggered": connectorTriggeredSchema,
  "connection.changed": connectionChangedSchema,
} as const satisfies Record<string, z.ZodType>

const traceparent = (of: string) => ({
  traceparent: text(
    `W3C Trace Context of ${of}. Optional.`,
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  ),
})

const headersOf = {
  "site.ready.retry": traceparent("the attempt before"),
  "site.ready.dead": traceparent("the last attempt"),
  "site.ready.outcome": traceparent("the last attempt"),
  "connector.triggered": traceparent("the span that published the record"),
  "site.paid": {
    ...traceparent("the publisher, in which the delivery continues"),
    correlation: text(
      "Follows the event through all log lines: up to 200 printable ASCII characters without spaces.",
      "order-10042",
    ),
  },
  "site.paid.invalid": {
    [invalidRecordHeaders.reason]: text(
      "Why the record is invalid. It contains no values.",
      "email is required",
    ),
    [invalidRecordHeaders.topic]: text("Topic of the original record.", "site.paid"),
    [invalidRecordHeaders.partition]: text("Partition of the original record.", "3"),
    [invalidRecordHeaders.offset]: text("Offset of the original record.", "1024"),
    [invalidRecordHeaders.time]: text("Time of the original record, in Unix milliseconds.", "1795741200000"),
    [invalidRecordHeaders.rejectedAt]: text(
      "When a replayed event was rejected first, in Unix milliseconds. This record has the same time.",
      "1795741203000",
    ),
  },
}

function text(description: string, example: string) {
  return { type: "string", description, examples: [example] }
}

/** What Sitewire does with the records of a topic. */
const actionsOf: Record<string, readonly ("send" | "receive")[]> = {
  "site.paid": ["receive", "send"],
  "site.paid.invalid": ["send", "receive"],
  "site.ready.dead": ["send"],
  "site.ready.outcome": ["send"],
  "connection.changed": ["send"],
}

/** An AsyncAPI 3 document of all topics, with the default retry delays and without a prefix. */
export function asyncApiDocument() {
  const topics = topicCatalogue({
    prefix: "",
    retryDelaysMs: defaultRetryDelays.map(parseDuration),
    retryPeriodMs: parseDuration(defaultRetryPeriod),
  })
  const messages = new Map(topics.map((topic) => [kindOf(topic), message(topic)]))
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Sitewire topics",
      version: "0.1.0",
      description:
        "The Kafka topics of Sitewire. Other services publish to site.paid, and may consume site.ready.dead, site.ready.outcome, site.paid.invalid and connection.changed; the others are internal. `TOPIC_PREFIX` precedes every address, and the retry topics are those of the default `RETRY_DELAYS`.",
      license: { name: "Apache-2.0" },
    },
    defaultContentType: "application/json",
    channels: Object.fromEntries(topics.map((topic) => [topic.name, channel(topic)])),
    operations: Object.fromEntries(topics.flatMap(operations)),
    components: { messages: Object.fromEntries(messages) },
  }
}

function kindOf({ name }: Topic): string {
  return name.replace(/\.retry\..*/, ".retry")
}

function channel(topic: Topic) {
  const { "cleanup.policy": cleanup, ...config } = topicConfig(topic, 3)
  const kind = kindOf(topic)
  return {
    address: topic.name,
    description: topic.purpose,
    messages: { [kind]: { $ref: `#/components/messages/${kind}` } },
    bindings: {
      kafka: {
        topic: topic.name,
        partitions: topic.partitions,
        topicConfiguration: {
          "cleanup.policy": cleanup?.split(","),
          ...(config["retention.ms"] === undefined
            ? { "delete.retention.ms": Number(config["delete.retention.ms"]) }
            : { "retention.ms": Number(config["retention.ms"]) }),
        },
        bindingVersion: "0.5.0",
      },
    },
  }
}

function message(topic: Topic) {
  const kind = kindOf(topic)
  const headers = Object.entries(headersOf).find(([name]) => name === kind)?.[1]
  const { $schema: _, ...payload } = topic.value
    ? recordJsonSchema(topic.value)
    : { description: "The value of the original record, unchanged.", examples: [{ id: "order-10042" }] }
  return {
    name: kind,
    title: kind,
    summary: topic.purpose,
    ...(topic.value ? {} : { contentType: "application/octet-stream" }),
    ...(headers ? { headers: { type: "object", properties: headers } } : {}),
    payload,
    bindings: {
      kafka: { key: { type: "string", description: `The ${topic.key}.` }, bindingVersion: "0.5.0" },
    },
  }
}

function operations(topic: Topic): [string, object][] {
  const { name, purpose } = topic
  return (actionsOf[name] ?? ["send", "receive"]).map((action) => [
    `${action} ${name}`,
    {
      action,
      channel: { $ref: `#/channels/${name}` },
      summary: purpose,
      messages: [{ $ref: `#/channels/${name}/messages/${kindOf(topic)}` }],
    },
  ])
}
