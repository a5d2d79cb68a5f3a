import { groupNames, type TopicNames } from "@sitewire/contracts"
import type { KafkaConnection } from "@sitewire/kafka"
import { type TopicReader, topicReaderOn } from "../../kafka/topicReader.ts"

export type ReconcileSources = {
  events: TopicReader
  invalid: TopicReader
  triggers: TopicReader
  groups: { paid: string; triggers: string }
  /** How long dispatchers store deliveries. */
  retentionMs: number
}

export function reconcileSources(settings: {
  kafka: KafkaConnection
  topics: TopicNames
  topicPrefix: string
  retentionMs: number
}): ReconcileSources {
  const { kafka, topics, topicPrefix, retentionMs } = settings
  const read = (topic: string) => topicReaderOn({ kafka, topic })
  return {
    events: read(topics.sitePaid),
    invalid: read(topics.sitePaidInvalid),
    triggers: read(topics.connectorTriggered),
    groups: groupNames(topicPrefix),
    retentionMs,
  }
}
