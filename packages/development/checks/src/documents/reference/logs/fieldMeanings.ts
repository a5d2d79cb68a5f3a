import type { LogEvent } from "./readLogEvents.ts"

export const fieldMeanings: Record<string, string> = {
  address: "the caller's IP address",
  addresses: "where the process listens",
  apiKey: "id of the caller's API key",
  applied: "migrations that were applied now",
  attempt: "number of the attempt, from 1",
  attempts: "how many attempts there are at most",
  before: "what is older was deleted",
  broker: "address of the broker",
  bytes: "size of what the source responded",
  changed: "topics whose partitions or settings were changed",
  channel: "id of the channel",
  check: "the check of `/readyz`, or id of a check of a receiver",
  clean: "false if something could not be closed in time",
  component: "what could not be closed",
  connection: "id of the connection",
  correlation: "id that follows one event or trigger through all processes",
  counts: "how many items the job has handled, by outcome",
  created: "topics that were created",
  deadlineMs: "milliseconds after which the process gives up",
  deferred: "number of deliveries",
  deleted: "number of deleted rows, by kind",
  delivery: "id of the delivery, as in `X-Sitewire-Delivery`",
  dependency: "what the process waits for: Postgres, Kafka or topics",
  detail: "the cause in words",
  dispatcher: "id of the process, as in `sitewire channel health`",
  ended: "number of deliveries",
  error:
    "the error with `type`, `message`, `stack` and perhaps `code`. In `attempt made`: the class of the error",
  event: "the publisher's id of the event. In notifications: the kind of event",
  existing: "topics that existed already as they should be",
  failures: "failures in a row",
  fence: "number of the sync's start, which grows with each start of its connection",
  group: "Kafka's consumer group",
  groupId: "Kafka's consumer group",
  host: "host and port of the source",
  job: "id of the bulk job",
  kafkajs: "part of the Kafka client",
  kind: "kind of the job, the check or the deleted rows",
  memberId: "id of the consumer in its group",
  method: "HTTP method. For sign-ins: key or link",
  ms: "duration in milliseconds",
  nodeId: "id of the broker",
  notification: "id of the operator notification",
  offset: "offset of the Kafka record",
  outcome: "outcome of the sync, as in `sitewire_syncs_total`",
  partition: "partition of the Kafka record",
  partitions: "number of partitions",
  reason: "the cause",
  requestId: "id of the request, which its response contains as `X-Request-Id`",
  retryCount: "number of repetitions so far",
  retryInMs: "milliseconds until the next try",
  retryTime: "milliseconds until the next try",
  route: "route of the management API",
  signal: "signal that the process received",
  span_id: "span of the trace, if it is recorded",
  state: "what the delivery, or the check, is then",
  status: "HTTP status. `aborted`: the client closed the connection first",
  stored: "false if a key existed already",
  streams: "number of open streams",
  subject: "id of the channel, host or other thing that the problem concerns",
  tookMs: "milliseconds until the group was joined",
  topic: "Kafka topic",
  trace_id: "trace of OpenTelemetry, if it is recorded",
  triggered:
    "for each connection: `connection`, `correlation`, the `count` of triggers, and perhaps `trace_id` and `span_id`",
  triggers: "number of triggers that the sync serves",
  unavailable: "partitions that accept no records",
  unknown: "number of triggers",
  waitedMs: "milliseconds that the process has waited",
  why: "the cause",
}

export function fieldsOf(events: readonly LogEvent[]): string[] {
  return [...new Set(events.flatMap(({ fields }) => fields))].toSorted()
}

/** Throws if a field has no meaning above, or a meaning no field. */
export function requireMeanings(events: readonly LogEvent[]): void {
  const fields = fieldsOf(events)
  const unknown = fields.filter((field) => !(field in fieldMeanings))
  const unused = Object.keys(fieldMeanings).filter((field) => !fields.includes(field))
  if (unknown.length + unused.length > 0)
    throw new Error(
      `fieldMeanings.ts does not match the log events: add ${list(unknown)}, and remove ${list(unused)}.`,
    )
}

const list = (names: readonly string[]) => (names.length === 0 ? "nothing" : names.join(", "))
