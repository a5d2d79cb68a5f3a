// The baseline of the part `ingesting`: a kafkajs consumer that only counts. When it has read `amount`
// records, it sends its records/s to the parent process.
import { randomUUID } from "node:crypto"
// biome-ignore lint/style/noRestrictedImports: it measures the client without packages/kafka.
import { Kafka, logLevel } from "kafkajs"

const [brokers = "", topic = "", amount = "0"] = process.argv.slice(2)
const kafka = new Kafka({ brokers: brokers.split(","), clientId: "bare", logLevel: logLevel.NOTHING })
const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 250 })
const all = Promise.withResolvers<number>()
let seen = 0
let startedAt = 0
await consumer.connect()
await consumer.subscribe({ topic, fromBeginning: true })
await consumer.run({
  eachBatch: async ({ batch }) => {
    startedAt ||= performance.now()
    seen += batch.messages.length
    if (seen >= Number(amount)) all.resolve((Number(amount) / (performance.now() - startedAt)) * 1_000)
  },
})
const perSecond = await all.promise
await consumer.disconnect()
process.send?.({ result: perSecond })
process.disconnect?.()
