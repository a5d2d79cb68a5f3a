import { randomBytes } from "node:crypto"
import {
  type ConsumerRecord,
  type KafkaConnection,
  type Offsets,
  type ProducerRecord,
  readTopic,
  startConsumer,
  startProducer,
  topicEnd,
} from "@sitewire/kafka"

type Producer = Awaited<ReturnType<typeof startProducer>>

/**
 * Returns functions that publish to topics and read them. The Kafka clients start at first use. Names of
 * consumer groups begin with `groupPrefix`.
 */
export function createTopicClients(kafka: KafkaConnection, groupPrefix: string) {
  let producer: Promise<Producer> | undefined
  const consumers: { close(deadlineMs: number): Promise<unknown> }[] = []

  async function publish(records: ProducerRecord[]): Promise<void> {
    producer ??= startProducer({ kafka }).catch((error: unknown) => {
      producer = undefined
      throw error
    })
    await (await producer).publish(records)
  }

  return {
    publish,
    /** The records that the topic has now, from `start` on. */
    async read(topic: string, start: Offsets = {}): Promise<ConsumerRecord[]> {
      const all: ConsumerRecord[] = []
      const to = await topicEnd({ kafka, topic })
      const bounds = { maxRecords: 10_000, maxBytes: 64 << 20 }
      for (let from = start, ended = false; !ended; ) {
        const piece = await readTopic({ kafka, topic, from, to, ...bounds })
        all.push(...piece.records)
        from = piece.next
        ended = piece.ended
      }
      return all
    },
    /** Returns a list of the topic's records. Later records are added to the same list. */
    async follow(topic: string): Promise<ConsumerRecord[]> {
      const seen: ConsumerRecord[] = []
      const onRecords = (records: ConsumerRecord[], done: (record: ConsumerRecord) => void) => {
        seen.push(...records)
        records.forEach(done)
      }
      const group = `${groupPrefix}follower-${randomBytes(4).toString("hex")}`
      consumers.push(
        await startConsumer({ kafka, group, topics: [{ topic }], maxOutstanding: 10_000, onRecords }),
      )
      return seen
    },
    async close(): Promise<void> {
      await Promise.all(consumers.map((consumer) => consumer.close(2_000)))
      await (await producer)?.close(2_000)
    },
  }
}
