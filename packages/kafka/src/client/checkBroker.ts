import { withinDeadline } from "../withinDeadline.ts"
import type { KafkaConnection } from "./connectKafka.ts"
import { createClient } from "./createClient.ts"
import { quietLog, reasonOf } from "./log.ts"

export type BrokerState = { status: "reachable" } | { status: "unreachable"; why: string }

/**
 * Kafka is reachable if one broker responds, because a rolling restart is no outage. Never rejects. Takes at
 * most about `deadlineMs`, and the time of a token.
 */
export async function checkBroker(options: {
  kafka: KafkaConnection
  deadlineMs?: number
}): Promise<BrokerState> {
  const { kafka, deadlineMs = 3_000 } = options
  const noToken = await whyNoToken(kafka)
  if (noToken !== null) return { status: "unreachable", why: noToken }
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

/** Asked before the deadline begins, so that a slow source of tokens is not reported as slow brokers. */
async function whyNoToken({ login }: KafkaConnection): Promise<string | null> {
  if (login?.mechanism !== "oauthbearer") return null
  return login.readToken().then(() => null, reasonOf)
}

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

export async function requireBroker(kafka: KafkaConnection, deadlineMs?: number): Promise<void> {
  const state = await checkBroker({ kafka, ...(deadlineMs === undefined ? {} : { deadlineMs }) })
  if (state.status === "unreachable")
    throw new Error(`no broker of ${kafka.brokers.join(", ")} can be used: ${state.why}`)
}
