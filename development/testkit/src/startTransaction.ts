import { randomUUID } from "node:crypto"
// biome-ignore lint/style/noRestrictedImports: publishes in transactions, as publishers may, and which nothing of ours does.
import kafkajs from "kafkajs"
import { kafkaBrokers } from "./freshDatabase.ts"

/** Publishes the values in a transaction of a new publisher, and leaves it open. */
export async function startTransaction(topic: string, values: string[], partition = 0) {
  const kafka = new kafkajs.Kafka({ brokers: kafkaBrokers(), logLevel: kafkajs.logLevel.NOTHING })
  const producer = kafka.producer({ transactionalId: randomUUID(), idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  const transaction = await producer.transaction()
  await transaction.send({ topic, messages: values.map((value) => ({ value, partition })) })
  return {
    /** The broker appends the marker soon afterwards. */
    async end(how: "commit" | "abort") {
      await transaction[how]()
      await producer.disconnect()
    },
  }
}
