import { groupNames } from "./groupNames.ts"
import { type TopicNameSettings, topicNames } from "./topicNames.ts"

export type TopicAccess = {
  process: string
  /** Topics. Whoever may read or write may also read a topic's offsets. */
  read: string[]
  write: string[]
  /** Topics whose offsets it may read, but no records. */
  measure: string[]
  /** Topics whose settings it may read. */
  inspect: string[]
  /** Groups that it joins. */
  join: string[]
  /** Groups whose positions it may read. */
  observe: string[]
}

/** What each process does at Kafka, and thus the least that its account must be allowed. */
export function topicAccess(settings: TopicNameSettings): TopicAccess[] {
  const topics = topicNames(settings)
  const { paid, retries, triggers } = groupNames(settings.prefix)
  const all = Object.values(topics).flat()
  const nothing = { read: [], write: [], measure: [], inspect: [], join: [], observe: [] }
  return [
    // It finds the topics complete if they are managed as resources, and creates none.
    { ...nothing, process: "setup", inspect: all },
    { ...nothing, process: "trigger-gateway", write: [topics.connectorTriggered] },
    {
      ...nothing,
      process: "sync-scheduler",
      read: [topics.connectorTriggered],
      write: [topics.connectionChanged],
      join: [triggers],
    },
    {
      ...nothing,
      process: "webhook-dispatcher",
      read: [topics.sitePaid, ...topics.retry],
      write: [topics.sitePaidInvalid, topics.dead, topics.outcome, ...topics.retry],
      join: [paid, retries],
    },
    {
      ...nothing,
      process: "console",
      // The oldest unread record of every topic, and the sources of a reconciliation.
      read: all,
      // Replays.
      write: [topics.sitePaid],
      observe: [paid, retries, triggers],
    },
    // Not a process of Sitewire, but what adds replicas of the consumers.
    {
      ...nothing,
      process: "autoscaler",
      measure: [topics.sitePaid, topics.connectorTriggered],
      observe: [paid, triggers],
    },
  ]
}
