import { randomUUID } from "node:crypto"
import { connectKafka, startConsumer } from "@sitewire/kafka"
import { silentLog } from "@sitewire/testkit/installation"
import { Pool } from "undici"

// The baseline of the part `latency`: a consumer that only posts each event to the receiver. It uses packages/kafka, because
// a bare kafkajs consumer is 11 ms slower: that one commits after each batch before it fetches again.
const [brokers = "", topic = "", receiver = ""] = process.argv.slice(2)
const pool = new Pool(receiver)

process.once("disconnect", () => process.exit(0))
await startConsumer({
  kafka: connectKafka({ brokers: brokers.split(","), clientId: "bare", log: silentLog }),
  group: randomUUID(),
  topics: [{ topic }],
  // As a dispatcher.
  maxOutstanding: 384,
  fetchBytes: 64 * 1024,
  onRecords: (records, done) => {
    for (const record of records)
      void pool
        .request({ method: "POST", path: "/timed-bare", body: record.value })
        .then(({ body }) => body.dump())
        .then(() => done(record))
  },
})
process.send?.({ ready: true })
