import { randomUUID } from "node:crypto"
import { connectKafka, startConsumer } from "@sitewire/kafka"
import { silentLog } from "@sitewire/testkit/installation"
import { clockMs } from "./load.ts"

/**
 * A message of the parent process, which asks for the latencies of the events published at `from` or later.
 * The response is sent when `amount` such events have arrived.
 */
export type BareRequest = { from: number; amount: number }

// The baseline of the part `latency`: a consumer that only reads from each event when it was published. It
// uses packages/kafka, because a bare kafkajs consumer is 11 ms slower: that one commits after each batch
// before it fetches again.
const [brokers = "", topic = ""] = process.argv.slice(2)
let request: BareRequest | null = null
let seen: { publishedAt: number; latencyMs: number }[] = []

function respond(): void {
  if (request === null) return
  const { from, amount } = request
  const counted = seen.filter(({ publishedAt }) => publishedAt >= from)
  if (counted.length < amount) return
  request = null
  seen = []
  process.send?.({ latencies: counted.map(({ latencyMs }) => latencyMs) })
}

process.on("message", (received: BareRequest) => {
  request = received
  respond()
})
process.once("disconnect", () => process.exit(0))
await startConsumer({
  kafka: connectKafka({ brokers: brokers.split(","), clientId: "bare", log: silentLog }),
  group: randomUUID(),
  topics: [{ topic }],
  maxOutstanding: 100_000,
  onRecords: (records, done) => {
    const now = clockMs()
    for (const record of records) {
      const publishedAt = Number(JSON.parse(record.value?.toString() ?? "{}").reference)
      seen.push({ publishedAt, latencyMs: now - publishedAt })
      done(record)
    }
    respond()
  },
})
process.send?.({ ready: true })
