import { type KafkaConnection, readTopic, topicEnd } from "@sitewire/kafka"
import { reasonOf } from "@sitewire/runtime"
import { type InvalidTopic, KafkaAway } from "../jobs/job.ts"

/** The topic of refused records. Opens nothing: each call connects, and hangs up when it has its answer. */
export function openInvalidTopic(settings: {
  kafka: KafkaConnection
  topic: string
  topicPrefix: string
}): InvalidTopic {
  const { kafka, topic, topicPrefix } = settings
  return {
    end: () => topicEnd({ kafka, topic }).catch(away),
    read: (piece) =>
      readTopic({ kafka, topic, groupPrefix: `${topicPrefix}console.replay`, ...piece }).catch(away),
  }
}

function away(cause: unknown): never {
  throw new KafkaAway(reasonOf(cause), { cause })
}
