import { randomUUID } from "node:crypto"
import { connectKafka, startConsumer } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { clockMs } from "../load/publishPaced.ts"

/** Asks for the latencies of the first `amount` events that were published at `from` or later. */
export type BareRequest = { from: number; amount: number }

// The baseline: a consumer that reads the time of publishing from each event, and does nothing else. Beside it on the
// same events, a kafkajs consumer with nothing of ours around it saw the same latencies with its commits turned off (p50
// 2.9 and 3.0 ms), and 11 ms more as it comes, because it commits after each batch before it fetches again. This is the
// stricter of the two.
const [brokers = "", topic = ""] = process.argv.slice(2)
let asked: BareRequest | null = null
let seen: { publishedAt: number; latencyMs: number }[] = []

function answer(): void {
  if (asked === null) return
  const { from, amount } = asked
  const counted = seen.filter(({ publishedAt }) => publishedAt >= from)
  if (counted.length < amount) return
  asked = null
  seen = []
  process.send?.({ latencies: counted.map(({ latencyMs }) => latencyMs) })
}

process.on("message", (request: BareRequest) => {
  asked = request
  answer()
})
process.once("disconnect", () => process.exit(0))

const log = createLogger({ service: "bare-consumer", level: "error" })
await startConsumer({
  kafka: connectKafka({ brokers: brokers.split(","), clientId: "bare", log }),
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
    answer()
  },
})
process.send?.({ ready: true })
