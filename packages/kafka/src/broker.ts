import { setTimeout as sleep } from "node:timers/promises"
import { createClient, type KafkaConnection } from "./connect.ts"
import { withinDeadline } from "./deadline.ts"
import { reasonOf } from "./log.ts"

export type BrokerState = { status: "reachable"; brokers: number } | { status: "unreachable"; why: string }

/** Asks the cluster who is in it. Never rejects; answers within about `deadlineMs`. */
export async function checkBroker(options: {
  kafka: KafkaConnection
  deadlineMs?: number
}): Promise<BrokerState> {
  const { deadlineMs = 3_000 } = options
  const quiet = options.kafka.log.debug.bind(options.kafka.log)
  // The answer says it all; kafkajs adds two warnings to each refusal.
  const kafka = { ...options.kafka, log: { debug: quiet, info: quiet, warn: quiet, error: quiet } }
  // Whoever asks wants to know what is now: no retries (a dead port answers in 0.1 s and not in 7.8 s).
  const admin = createClient(kafka, { requestTimeoutMs: deadlineMs, retries: 0 }).admin()
  const ask = async (): Promise<BrokerState> => {
    await admin.connect()
    const { brokers } = await admin.describeCluster()
    return { status: "reachable", brokers: brokers.length }
  }
  const late: BrokerState = { status: "unreachable", why: `no answer within ${deadlineMs} ms` }
  const state = await withinDeadline(ask(), deadlineMs, late).catch(
    (error: unknown): BrokerState => ({ status: "unreachable", why: reasonOf(error) }),
  )
  await withinDeadline(
    admin.disconnect().catch(() => {}),
    500,
    null,
  )
  return state
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
