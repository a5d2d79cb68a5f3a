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
    connectorTriggered: `${prefix}connector.triggered`,
  }
}

/** The consumer groups of site.paid, of the retry topics, and of connector.triggered. */
export function consumerGroups(prefix: string) {
  return {
    paid: `${prefix}webhook-dispatcher.paid`,
    due: `${prefix}webhook-dispatcher.due`,
    triggered: `${prefix}sync-scheduler`,
  }
}

export type TopicNames = ReturnType<typeof topicNames>
