import { setTimeout as sleep } from "node:timers/promises"
import { withinDeadline } from "../withinDeadline.ts"
import type { KafkaConnection } from "./connectKafka.ts"
import { createClient } from "./createClient.ts"
import { quietLog, reasonOf } from "./log.ts"

export type BrokerState = { status: "reachable" } | { status: "unreachable"; why: string }

/**
 * One broker that responds is enough: a rolling restart is no outage. Never rejects; takes at most about
 * `deadlineMs`.
 */
export async function checkBroker(options: {
  kafka: KafkaConnection
  deadlineMs?: number
}): Promise<BrokerState> {
  const { kafka, deadlineMs = 3_000 } = options
  const log = quietLog(kafka.log)
  // Without retries, a closed port is reported after 0.1 s instead of 7.8 s.
  const limits = { requestTimeoutMs: deadlineMs, retries: 0 }
  const admins = kafka.brokers.map((broker) =>
    createClient({ ...kafka, brokers: [broker], log }, limits).admin(),
  )

  async function connectToAny(): Promise<BrokerState> {
    const connecting = admins.map((admin) => admin.connect())
    const outcome = await withinDeadline(Promise.any(connecting), deadlineMs, "late")
    if (outcome === "late") return { status: "unreachable", why: `no response within ${deadlineMs} ms` }
    return { status: "reachable" }
  }
  const state = await connectToAny().catch(
    ({ errors }: AggregateError): BrokerState => ({
      status: "unreachable",
      why: errors.map(reasonOf).map(addAdvice).join("; "),
    }),
  )
  const disconnecting = Promise.allSettled(admins.map((admin) => admin.disconnect()))
  await withinDeadline(disconnecting, 500, null)
  return state
}

/** Errors of kafkajs that mean a wrong setting. */
const advices: readonly (readonly [RegExp, string])[] = [
  [
    /before secure TLS connection|wrong version number|packet length too long/i,
    "the listener does not use TLS; check KAFKA_TLS",
  ],
  [/current SASL state/i, "the listener does not use a login; check KAFKA_USERNAME"],
  [/certificate/i, "check KAFKA_CA"],
  [/Closed connection/i, "the listener may require TLS or a login; check KAFKA_TLS and KAFKA_USERNAME"],
]

function addAdvice(why: string): string {
  const advice = advices.find(([pattern]) => pattern.test(why))
  return advice === undefined ? why : `${why} (${advice[1]})`
}

/** For a start. `onWait` is called after each failed check. */
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
        `Kafka at ${kafka.brokers.join(", ")} did not respond for ${Math.round(waitedMs / 1_000)} s: ${state.why}. ` +
          "Start it, or correct KAFKA_BROKERS.",
      )
    }
    onWait?.(waitedMs, state.why)
    await sleep(everyMs)
  }
}
