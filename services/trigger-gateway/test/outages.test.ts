import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { topicCatalogue, topicConfig } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { connectKafka, ensureTopics } from "@sitewire/kafka"
import { type FreshDatabase, freshDatabase, freshTopics, kafkaBrokers, silentLog } from "@sitewire/testkit"
import { type StartedBackingService, startKafka } from "@sitewire/testkit/backing"
// biome-ignore lint/style/noRestrictedImports: deletes a topic, which nothing of ours does.
import kafkajs from "kafkajs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type CallResponse, call, correlationOf, type Failure } from "./fixtures/call.ts"
import { addConnection, pathOf } from "./fixtures/connections.ts"
import { startProxy } from "./fixtures/proxy.ts"
import { expectOnTopic } from "./fixtures/readTriggers.ts"
import { killLeftGateways, type RunningGateway, startGateway } from "./fixtures/startGateway.ts"

afterAll(killLeftGateways)

/** GATEWAY_DEADLINE, and tolerance for a busy machine. */
const within = 2_000 + 500

let database: FreshDatabase
let path: string

beforeAll(async () => {
  database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  path = (await addConnection(pool.sql, "outage")).path
  await pool.close()
})

afterAll(() => database.drop())

async function expectUnavailable(running: RunningGateway): Promise<void> {
  const calls = Array.from({ length: 20 }, async () => {
    const startedAt = performance.now()
    const response = await call(running.gateway + path)
    expect(performance.now() - startedAt).toBeLessThan(within)
    return response
  })
  for (const response of await Promise.all(calls)) {
    expect(response).toMatchObject({
      status: 503,
      headers: { "retry-after": "5", "content-type": "application/problem+json" },
    })
  }
  const isReady = () => call(`${running.ops}/readyz`, { method: "GET" })
  await expect.poll(isReady, { timeout: 5_000 }).toMatchObject({ status: 503 })
  expect(await call(`${running.ops}/livez`, { method: "GET" })).toMatchObject({ status: 200 })
}

async function expectRecovery(running: RunningGateway): Promise<CallResponse | Failure> {
  const trigger = () => call(running.gateway + path)
  await expect.poll(trigger, { timeout: 15_000, interval: 100 }).toMatchObject({ status: 202 })
  const isReady = () => call(`${running.ops}/readyz`, { method: "GET" })
  await expect.poll(isReady, { timeout: 5_000 }).toMatchObject({ status: 200 })
  return trigger()
}

test("while the broker is unavailable or hangs, triggers get 503 within the deadline and the gateway is unready; it recovers without a restart", {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), "gateway-kafka-"))
  const jars = fileURLToPath(new URL("../../../.sitewire/jars", import.meta.url))
  const backing = await startKafka({
    directory,
    jars,
    env: { ...process.env, KAFKA_BROKERS: undefined },
    durability: "scratch",
    progress: () => {},
  })
  if (backing.kind === "given") throw new Error("this test needs its own broker")
  const kafka: StartedBackingService = backing
  const catalogue = topicCatalogue({ prefix: "", retryDelaysMs: [], retryPeriodMs: 3_600_000 })
  const topics = catalogue.map((topic) => ({ ...topic, partitions: 1, config: topicConfig(topic, 1) }))
  const connection = connectKafka({ brokers: [kafka.address], clientId: "gateway-tests", log: silentLog })
  await ensureTopics({ kafka: connection, topics })
  const running = await startGateway({ DATABASE_URL: database.url, KAFKA_BROKERS: kafka.address })
  const accepted: string[] = []

  accepted.push(correlationOf(await expectRecovery(running)))
  await kafka.halt("kill")
  await expectUnavailable(running)
  expect(await call(running.gateway + pathOf("outage", "swt_garbage"))).toMatchObject({ status: 404 })
  await kafka.resume()
  accepted.push(correlationOf(await expectRecovery(running)))

  if (kafka.pid !== undefined) {
    process.kill(kafka.pid, "SIGSTOP")
    await expectUnavailable(running)
    process.kill(kafka.pid, "SIGCONT")
    accepted.push(correlationOf(await expectRecovery(running)))
  }

  await expectOnTopic([kafka.address], "connector.triggered", accepted)
  expect(running.output()).not.toMatch(/swt_|connectors\/hook/i)
  expect(await running.end("SIGTERM")).toBe(0)
  await kafka.stop()
  await rm(directory, { recursive: true, force: true })
})

async function startBehindProxy(env: Record<string, string> = {}) {
  const proxy = await startProxy(database.url)
  const { prefix } = await freshTopics()
  const running = await startGateway({
    DATABASE_URL: proxy.url,
    KAFKA_BROKERS: kafkaBrokers().join(),
    TOPIC_PREFIX: prefix,
    ...env,
  })
  return { proxy, running }
}

test("while Postgres is unavailable or hangs, triggers get 503 within the deadline and the gateway is unready; it recovers without a restart", {
  timeout: 60_000,
}, async () => {
  const { proxy, running } = await startBehindProxy()
  for (const outage of [proxy.cut, proxy.hang]) {
    await expectRecovery(running)
    outage()
    await expectUnavailable(running)
    // A malformed token needs no query, and so no database.
    expect(await call(running.gateway + pathOf("outage", "swt_garbage"))).toMatchObject({ status: 404 })
    proxy.restore()
    await expectRecovery(running)
  }
  expect(running.output()).not.toMatch(/swt_|connectors\/hook/i)
  expect(await running.end("SIGTERM")).toBe(0)
  await proxy.close()
})

test("triggers beyond GATEWAY_MAX_WAITING get 503 at once", { timeout: 60_000 }, async () => {
  const { proxy, running } = await startBehindProxy({ GATEWAY_MAX_WAITING: "10" })
  await expectRecovery(running)
  proxy.hang()
  const durations = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const startedAt = performance.now()
      expect(await call(running.gateway + path)).toMatchObject({ status: 503 })
      return performance.now() - startedAt
    }),
  )
  expect(durations.filter((ms) => ms < 400).length).toBeGreaterThanOrEqual(20)
  proxy.restore()
  await expectRecovery(running)
  expect(await running.end("SIGTERM")).toBe(0)
  await proxy.close()
})

test("while the topic is deleted, triggers get 503 and the gateway is unready", {
  timeout: 60_000,
}, async () => {
  const { prefix, kafka, names } = await freshTopics()
  const running = await startGateway({
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(),
    TOPIC_PREFIX: prefix,
  })
  await expectRecovery(running)
  const admin = new kafkajs.Kafka({ brokers: kafkaBrokers(), logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  await admin.deleteTopics({ topics: [names.connectorTriggered] })
  await expectUnavailable(running)
  // For longer than the 3 s for which a failed query alone makes the gateway unready.
  const ready: number[] = []
  await expect
    .poll(async () => ready.push((await call(`${running.ops}/readyz`, { method: "GET" })).status), {
      timeout: 10_000,
      interval: 250,
    })
    .toBeGreaterThan(20)
  expect(new Set(ready)).toEqual(new Set([503]))
  await admin.disconnect()
  expect(running.output()).toMatch(/the topic [^ ]+ does not exist/)
  await ensureTopics({ kafka, topics: [{ name: names.connectorTriggered, partitions: 2, config: {} }] })
  await expectRecovery(running)
  expect(await running.end("SIGTERM")).toBe(0)
})
