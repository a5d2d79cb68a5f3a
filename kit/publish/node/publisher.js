import kafkajs from "kafkajs"
import { InvalidSitePaidError, toHeaders, toValue } from "./check.js"

export { InvalidSitePaidError }

/** All in-sync replicas. */
const acks = -1
/** How long to connect for, from the call of `publish`. */
const connectForMs = 40_000
/** Eight attempts to send in about 40 s. kafkajs does not use it for connecting. */
const retry = { initialRetryTime: 300, retries: 7 }

export class SitePaidPublisher {
  #kafka
  #topic
  /** A promise of the connected producer, or null before the first event and after a failure. */
  #producer = null
  #last = Promise.resolve()

  constructor(kafka, { topic = "site.paid" } = {}) {
    if (typeof kafka?.producer !== "function")
      throw new TypeError("SitePaidPublisher needs a Kafka of kafkajs: new Kafka({ brokers: [...] })")
    this.#kafka = kafka
    this.#topic = topic
  }

  async publish(event, headers = {}) {
    const value = toValue(event)
    const message = { key: JSON.parse(value).id, value, headers: toHeaders(headers) }
    // One after another: after a lost connection, kafkajs gives the sequence number of a record that is being retried to
    // a concurrent one, and the broker drops that one as a duplicate.
    const connectUntil = Date.now() + connectForMs
    const sent = this.#last.then(() => this.#send(message, connectUntil))
    this.#last = sent.catch(() => {})
    return sent
  }

  async close() {
    await this.#last
    await this.#disconnect()
  }

  async #send(message, connectUntil) {
    try {
      this.#producer ??= connect(this.#kafka, connectUntil)
      const producer = await this.#producer
      const [{ partition, baseOffset }] = await producer.send({
        topic: this.#topic,
        acks,
        messages: [message],
      })
      return { topic: this.#topic, partition, offset: baseOffset }
    } catch (error) {
      // The broker may have stored the record, so its sequence number must not be used again: the next event gets a
      // new producer.
      await this.#disconnect()
      throw error
    }
  }

  async #disconnect() {
    const producer = this.#producer
    this.#producer = null
    await producer?.then((connected) => connected.disconnect()).catch(() => {})
  }
}

/** Retries until then, because kafkajs by itself gives up after the retries of `new Kafka`, which take 7 s by default. */
async function connect(kafka, until) {
  for (;;) {
    const producer = createProducer(kafka)
    try {
      await producer.connect()
      return producer
    } catch (error) {
      await producer.disconnect().catch(() => {})
      // Others, such as a rejected login, would be the same again.
      if (error.name !== "KafkaJSNumberOfRetriesExceeded" || Date.now() >= until) throw error
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}

function createProducer(kafka) {
  return kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    // As Kafka's own client, so that an event has the same partition in every language. kafkajs compresses nothing.
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    retry,
  })
}
