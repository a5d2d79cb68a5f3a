/** Refused for what the record is. Another record of the same topic may be accepted. */
const ofRecord = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD", "INVALID_TIMESTAMP"]

/** Refused for what we are, or what the topic is: every record of the topic, until an operator changes that. */
const ofTopic = [
  "TOPIC_AUTHORIZATION_FAILED",
  "CLUSTER_AUTHORIZATION_FAILED",
  "INVALID_TOPIC_EXCEPTION",
  "INVALID_REQUIRED_ACKS",
  "POLICY_VIOLATION",
  "UNSUPPORTED_VERSION",
  "UNSUPPORTED_FOR_MESSAGE_FORMAT",
  "UNSUPPORTED_COMPRESSION_TYPE",
]

export type RefusalScope = "record" | "topic"

/** Whom a broker's error refuses for good; null where the same request may succeed later. */
export function refusalScope(type: string): RefusalScope | null {
  if (ofRecord.includes(type)) return "record"
  return ofTopic.includes(type) ? "topic" : null
}

/**
 * Publishing the same record again cannot succeed before somebody changes the record (`scope` "record") or the topic, the
 * account's permissions or the broker ("topic"). `reason` is the broker's name of the error.
 */
export class PermanentPublishError extends Error {
  override name = "PermanentPublishError"
  readonly reason: string
  readonly scope: RefusalScope
  readonly topic: string

  constructor(message: string, details: { reason: string; scope: RefusalScope; topic: string }) {
    super(message)
    this.reason = details.reason
    this.scope = details.scope
    this.topic = details.topic
  }
}

/** Above this producer's limit or the broker's. */
export class RecordTooLarge extends PermanentPublishError {
  override name = "RecordTooLarge"

  constructor(message: string, topic: string) {
    super(message, { reason: "MESSAGE_TOO_LARGE", scope: "record", topic })
  }
}

export function refused(
  topic: string,
  type: string,
  why: string,
  scope: RefusalScope,
): PermanentPublishError {
  const message = `Kafka refused ${scope === "record" ? "a record for" : "to publish to"} ${topic}: ${why} (${type}).`
  const isTooLarge = type === "MESSAGE_TOO_LARGE" || type === "RECORD_LIST_TOO_LARGE"
  if (isTooLarge) return new RecordTooLarge(message, topic)
  return new PermanentPublishError(message, { reason: type, scope, topic })
}
