import { setTimeout as sleep } from "node:timers/promises"
import { createClient, type KafkaConnection } from "./connectKafka.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { quietLog, reasonOf } from "./log.ts"

export type BrokerState = { status: "reachable" } | { status: "unreachable"; why: string }

/**
 * Asks all brokers at once whether they answer. One is enough: a cluster whose brokers are restarted in turn is not away.
 * Never rejects; answers within about `deadlineMs`.
 */
export async function checkBroker(options: {
  kafka: KafkaConnection
  deadlineMs?: number
}): Promise<BrokerState> {
  const { kafka, deadlineMs = 3_000 } = options
  const log = quietLog(kafka.log)
  // Whoever asks wants to know what is now: no retries (a dead port answers in 0.1 s and not in 7.8 s).
  const limits = { requestTimeoutMs: deadlineMs, retries: 0 }
  const admins = kafka.brokers.map((broker) =>
    createClient({ ...kafka, brokers: [broker], log }, limits).admin(),
  )

  async function ask(): Promise<BrokerState> {
    const connecting = admins.map((admin) => admin.connect())
    const outcome = await withinDeadline(Promise.any(connecting), deadlineMs, "late")
    if (outcome === "late") return { status: "unreachable", why: `no answer within ${deadlineMs} ms` }
    return { status: "reachable" }
  }
  const state = await ask().catch(
    ({ errors }: AggregateError): BrokerState => ({
      status: "unreachable",
      why: errors.map(reasonOf).map(adviseOn).join("; "),
    }),
  )
  const leaving = Promise.allSettled(admins.map((admin) => admin.disconnect()))
  await withinDeadline(leaving, 500, null)
  return state
}

/** What of our settings does not suit a listener that is there, by what the client says of it. */
const misfits: readonly (readonly [RegExp, string])[] = [
  [
    /before secure TLS connection|wrong version number|packet length too long/i,
    "it speaks no TLS there; see KAFKA_TLS",
  ],
  [/current SASL state/i, "it asks for no login there; see KAFKA_USERNAME"],
  [/certificate/i, "see KAFKA_CA"],
  [/Closed connection/i, "it may want TLS or a login; see KAFKA_TLS and KAFKA_USERNAME"],
]

function adviseOn(why: string): string {
  const misfit = misfits.find(([pattern]) => pattern.test(why))
  return misfit === undefined ? why : `${why} (${misfit[1]})`
}

/** Waits for Kafka at start. `onWait` is called after each try that failed, so that the waiting can be seen. */
export async function waitForBroker(options: {
  kafka: KafkaConnection
  deadlineMs?: number
  everyMs?: number
  onWait?: (waitedMs: number, why: string) => void
}): Promise<void> {
  const { kafka, deadlineMs = 60_000, everyMs = 1_000, onWait } = options
  const start = Date.now()
  for (;;) {
    const state = await checkBroker({ kafka, deadlineMs: Math.min(3_000, deadlineMs) })
    if (state.status === "reachable") return
    const waitedMs = Date.now() - start
    if (waitedMs + everyMs > deadlineMs) {
      throw new Error(
        `Kafka at ${kafka.brokers.join(", ")} did not answer for ${Math.round(waitedMs / 1_000)} s: ${state.why}. ` +
          "Start it, or correct KAFKA_BROKERS.",
      )
    }
    onWait?.(waitedMs, state.why)
    await sleep(everyMs)
  }
}
