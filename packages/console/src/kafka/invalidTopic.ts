import { type KafkaConnection, type Offsets, readTopic, topicEnd } from "@sitewire/kafka"
import { reasonOf } from "@sitewire/runtime"

/** Reads site.paid.invalid. If one of the functions fails, it rejects with `KafkaUnavailable`. */
export type InvalidTopic = {
  end(): Promise<Offsets>
  read(range: {
    from: Offsets
    to: Offsets
    maxRecords: number
    maxBytes: number
  }): ReturnType<typeof readTopic>
}

export class KafkaUnavailable extends Error {
  override name = "KafkaUnavailable"
}

export function invalidTopicOn(settings: {
  kafka: KafkaConnection
  topic: string
  topicPrefix: string
}): InvalidTopic {
  const { kafka, topic, topicPrefix } = settings
  return {
    end: () => topicEnd({ kafka, topic }).catch(unavailable),
    read: (range) =>
      readTopic({ kafka, topic, groupPrefix: `${topicPrefix}console.replay`, ...range }).catch(unavailable),
  }
}

export function unavailable(cause: unknown): never {
  throw new KafkaUnavailable(reasonOf(cause), { cause })
}
