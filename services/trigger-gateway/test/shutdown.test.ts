import { openPool, type Pool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase, freshTopics, kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type CallResponse, call, correlationOf, type Failure, generateLoad } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { expectOnTopic } from "./fixtures/readTriggers.ts"
import { killLeftGateways, startGateway } from "./fixtures/startGateway.ts"

afterAll(killLeftGateways)

let database: FreshDatabase
let pool: Pool
let paths: string[]

beforeAll(async () => {
  database = await freshDatabase()
  pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  paths = []
  for (let index = 0; index < 20; index += 1) paths.push((await addConnection(pool.sql, `c-${index}`)).path)
})

afterAll(async () => {
  await pool.close()
  await database.drop()
})

async function start(env: Record<string, string> = {}) {
  const { prefix, names } = await freshTopics()
  const running = await startGateway({
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(),
    TOPIC_PREFIX: prefix,
    LOG_LEVEL: "trace",
    ...env,
  })
  const url = (client: number, round: number) =>
    `${running.gateway}${paths[(client * 7 + round) % paths.length]}`
  return { running, url, topic: names.connectorTriggered }
}

test("SIGTERM under load resets no connection, rejects no trigger and loses none", async () => {
  // On a busy machine, a broker may take seconds to acknowledge. That is not under test.
  const patient = { GATEWAY_DEADLINE: "60s", SHUTDOWN_DEADLINE: "120s" }
  const { running, url, topic } = await start({ GATEWAY_DRAIN_DELAY: "3s", ...patient })
  const received: (CallResponse | Failure)[] = []
  // As a load balancer does: each client leaves when a response closes its connection.
  const load = generateLoad({
    clients: 64,
    url,
    onResponse: (response) => {
      received.push(response)
      if (response.status === 0) return "enough"
      return "headers" in response && response.headers.connection === "close" ? "enough" : undefined
    },
  })
  await waitUntil("load", () => received.length > 500)
  const ended = running.end("SIGTERM")
  await load.done
  const duringDelay = await Promise.all([call(`${running.ops}/readyz`, { method: "GET" }), call(url(0, 0))])
  expect(duringDelay.map(({ status }) => status)).toEqual([503, 202])
  expect(await ended).toBe(0)

  expect(received.filter(({ status }) => status !== 202)).toEqual([])
  await expectOnTopic(kafkaBrokers(), topic, [...received, ...duringDelay.slice(1)].map(correlationOf))
  expect(running.output()).toContain('"clean":true')
  expect(running.output()).not.toMatch(/swt_|connectors\/hook/i)
})

test("after kill -9 under load, every trigger that got 202 is on the topic", async () => {
  const { running, url, topic } = await start()
  const received: (CallResponse | Failure)[] = []
  const load = generateLoad({
    clients: 64,
    url,
    onResponse: (response) => {
      received.push(response)
      return response.status === 0 ? "enough" : undefined
    },
  })
  const accepted = () => received.map(correlationOf).filter((correlation) => correlation !== "")
  await waitUntil("load", () => accepted().length > 500)
  await running.end("SIGKILL")
  await load.done
  await expectOnTopic(kafkaBrokers(), topic, accepted())
  expect(running.output()).not.toMatch(/swt_|connectors\/hook/i)
})
