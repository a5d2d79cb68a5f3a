import { Kafka, logLevel } from "kafkajs"

/**
 * The benchmarks' baseline: a kafkajs consumer that only counts. Records a second from the first to the last of
 * `amount`. Here, because nothing else may import the client.
 */
export async function measureBareConsumer(options: {
  brokers: string[]
  topic: string
  group: string
  amount: number
}): Promise<number> {
  const { brokers, topic, group, amount } = options
  const kafka = new Kafka({ brokers, clientId: "bare", logLevel: logLevel.NOTHING })
  const consumer = kafka.consumer({ groupId: group, maxWaitTimeInMs: 250 })
  const all = Promise.withResolvers<number>()
  let seen = 0
  let startedAt = 0
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    eachBatch: async ({ batch }) => {
      startedAt ||= performance.now()
      seen += batch.messages.length
      if (seen >= amount) all.resolve((amount / (performance.now() - startedAt)) * 1_000)
    },
  })
  const perSecond = await all.promise
  await consumer.disconnect()
  return perSecond
}
