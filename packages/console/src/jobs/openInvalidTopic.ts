import { type KafkaConnection, readTopic, topicEnd } from "@sitewire/kafka"
import type { InvalidTopic } from "./job.ts"

/** The topic of refused records. Opens nothing: each call connects, and hangs up when it has its answer. */
export function openInvalidTopic(settings: {
  kafka: KafkaConnection
  topic: string
  topicPrefix: string
}): InvalidTopic {
  const { kafka, topic, topicPrefix } = settings
  return {
    end: () => topicEnd({ kafka, topic }),
    read: (piece) => readTopic({ kafka, topic, groupPrefix: `${topicPrefix}console.replay`, ...piece }),
  }
}
