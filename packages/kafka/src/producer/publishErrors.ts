const recordErrors = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD", "INVALID_TIMESTAMP"]

/**
 * With these errors, every record of the topic fails until an operator changes permissions, the topic or the
 * broker.
 */
const topicErrors = [
  "TOPIC_AUTHORIZATION_FAILED",
  "CLUSTER_AUTHORIZATION_FAILED",
  "INVALID_TOPIC_EXCEPTION",
  "INVALID_REQUIRED_ACKS",
  "POLICY_VIOLATION",
  "UNSUPPORTED_VERSION",
  "UNSUPPORTED_FOR_MESSAGE_FORMAT",
  "UNSUPPORTED_COMPRESSION_TYPE",
]

export type RejectionScope = "record" | "topic"

/** Whether a broker's error rejects one record or all of the topic. Null if the request may succeed later. */
export function rejectionScope(type: string): RejectionScope | null {
  if (recordErrors.includes(type)) return "record"
  return topicErrors.includes(type) ? "topic" : null
}

/** Publishing the record again cannot succeed. `reason` is the error's name in the protocol. */
export class PermanentPublishError extends Error {
  override name = "PermanentPublishError"
  readonly reason: string
  readonly scope: RejectionScope
  readonly topic: string

  constructor(message: string, details: { reason: string; scope: RejectionScope; topic: string }) {
    super(message)
    this.reason = details.reason
    this.scope = details.scope
    this.topic = details.topic
  }
}

export class RecordTooLarge extends PermanentPublishError {
  override name = "RecordTooLarge"

  constructor(message: string, topic: string) {
    super(message, { reason: "MESSAGE_TOO_LARGE", scope: "record", topic })
  }
}

export function permanentError(
  topic: string,
  type: string,
  why: string,
  scope: RejectionScope,
): PermanentPublishError {
  const what = scope === "record" ? `a record for ${topic}` : `all records for ${topic}`
  const message = `Kafka rejected ${what}: ${why} (${type}).`
  const isTooLarge = type === "MESSAGE_TOO_LARGE" || type === "RECORD_LIST_TOO_LARGE"
  if (isTooLarge) return new RecordTooLarge(message, topic)
  return new PermanentPublishError(message, { reason: type, scope, topic })
}
