import { formatDuration } from "../values/duration.ts"

export type TopicNameSettings = {
  /** Precedes every name, so that several installations can share a cluster. */
  prefix: string
  retryDelaysMs: readonly number[]
}

/** `retry[n]` belongs to `retryDelaysMs[n]`. */
export function topicNames({ prefix, retryDelaysMs }: TopicNameSettings) {
  return {
    sitePaid: `${prefix}site.paid`,
    sitePaidInvalid: `${prefix}site.paid.invalid`,
    retry: retryDelaysMs.map((delay) => `${prefix}site.ready.retry.${formatDuration(delay)}`),
    dead: `${prefix}site.ready.dead`,
    outcome: `${prefix}site.ready.outcome`,
    connectorTriggered: `${prefix}connector.triggered`,
    connectionChanged: `${prefix}connection.changed`,
  }
}

export type TopicNames = ReturnType<typeof topicNames>
