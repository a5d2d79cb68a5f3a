const recordErrors = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD"]

/**
 * With these errors, every record of the topic fails until an operator changes permissions, the topic, the
 * broker or the clock, from which every record has its timestamp.
 */
const topicErrors = [
  "INVALID_TIMESTAMP",
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

/** So many records rejected in a row show that it is not the records: then the topic counts as unavailable. */
export const rejectionsOfTopic = 3

export function isSizeError(type: string): boolean {
  return type === "MESSAGE_TOO_LARGE" || type === "RECORD_LIST_TOO_LARGE"
}

/** The broker's message, and what to do if it does not say so. */
export function explainError({ type, message }: { type: string; message: string }): string {
  if (type !== "INVALID_TIMESTAMP") return message
  return `${message}. Correct this machine's clock, or run the setup job, so that the brokers set the timestamps`
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
  if (isSizeError(type)) return new RecordTooLarge(message, topic)
  return new PermanentPublishError(message, { reason: type, scope, topic })
}
