import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { topicCatalogue, topicConfig } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { connectKafka, ensureTopics } from "@sitewire/kafka"
import { type FreshDatabase, freshDatabase, silentLog } from "@sitewire/testkit"
import { startKafkaCluster } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, correlationOf, generateLoad } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { readMetric } from "./fixtures/readMetric.ts"
import { expectOnTopic } from "./fixtures/readTriggers.ts"
import { killLeftGateways, type RunningGateway, startGateway } from "./fixtures/startGateway.ts"

let database: FreshDatabase
let paths: string[]
let directory: string
let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let running: RunningGateway

const partitions = 6
const topic = "connector.triggered"

beforeAll(async () => {
  database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  const ids = Array.from({ length: 40 }, (_, n) => `connection-${n}`)
  paths = (await Promise.all(ids.map((id) => addConnection(pool.sql, id)))).map(({ path }) => path)
  await pool.close()
  directory = await mkdtemp(join(tmpdir(), "gateway-brokers-"))
  const jars = join(import.meta.dirname, "../../../.sitewire/jars")
  cluster = await startKafkaCluster({ directory, jars, env: process.env, brokers: 3, progress: () => {} })
  const brokers = cluster.brokers.map(({ address }) => address)
  const kafka = connectKafka({ brokers, clientId: "gateway-tests", log: silentLog })
  // One replica: without its broker, a partition has no leader.
  const catalogue = topicCatalogue({ prefix: "", retryDelaysMs: [], retryPeriodMs: 3_600_000 })
  const topics = catalogue.map((each) => ({ ...each, partitions, config: topicConfig(each, 1) }))
  await ensureTopics({ kafka, topics, replicationFactor: 1 })
  running = await startGateway({
    DATABASE_URL: database.url,
    KAFKA_BROKERS: brokers.join(),
    NODE_OPTIONS: `--import=${new URL("fixtures/countConnections.ts", import.meta.url)}`,
  })
}, 120_000)

afterAll(async () => {
  killLeftGateways()
  await cluster?.stop()
  await database?.drop()
  await rm(directory, { recursive: true, force: true })
}, 60_000)

const readiness = async () => {
  const response = await call(`${running.ops}/readyz`, { method: "GET" })
  const { kafka } = JSON.parse("text" in response ? response.text : "{}").checks
  return { status: response.status, why: String(kafka.why ?? "") }
}
const triggerAll = () => Promise.all(paths.map((path) => call(running.gateway + path)))
const statuses = async () => new Set((await triggerAll()).map(({ status }) => status))
const unavailablePartitions = () => readMetric(running.ops, "sitewire_trigger_partitions_unavailable")

/** How many connections to brokers the gateway has opened so far. */
function connectionsToBrokers(): number {
  const ports = cluster.brokers.map(({ address }) => address.split(":").at(-1))
  return [...running.output().matchAll(/^connected to port (\d+)$/gm)].filter(([, port]) =>
    ports.includes(port),
  ).length
}

test("an idle gateway checks Kafka every second and opens no connection for it", {
  timeout: 30_000,
}, async () => {
  await expect.poll(statuses, { timeout: 20_000 }).toEqual(new Set([202]))
  const before = connectionsToBrokers()
  expect(before).toBeGreaterThan(0)
  const readinessStatuses: number[] = []
  await expect
    .poll(async () => readinessStatuses.push((await readiness()).status), { timeout: 15_000, interval: 250 })
    .toBeGreaterThan(20)
  expect(new Set(readinessStatuses)).toEqual(new Set([200]))
  expect(connectionsToBrokers()).toBe(before)
})

test("with one broker of three killed, triggers of partitions with a leader get 202 and others 503, and readiness names the partitions", {
  timeout: 120_000,
}, async () => {
  const [, second] = cluster.brokers
  await second?.halt("kill")
  await expect.poll(async () => (await readiness()).why).toMatch(/^2 of 6 partitions accept no records/)
  const startedAt = performance.now()
  const responses = await triggerAll()
  expect(performance.now() - startedAt).toBeLessThan(2_500)
  const accepted = responses.map(correlationOf).filter((correlation) => correlation !== "")
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202, 503]))
  // Two thirds of the partitions.
  expect(accepted.length).toBeGreaterThan(paths.length / 3)
  expect((await readiness()).status).toBe(200)
  expect(await unavailablePartitions()).toBe(2)
  expect(running.output()).toMatch(/partitions accept no records/)

  // Under load: triggers without a leader wait, and delay no others.
  const good = paths.filter((_, at) => responses[at]?.status === 202)
  const bad = paths.filter((_, at) => responses[at]?.status === 503)
  const rounds = 15
  const withoutLeader = generateLoad({
    clients: 8,
    url: (client, round) => running.gateway + bad[(client + round) % bad.length],
    onResponse({ status }) {
      expect(status).toBe(503)
      return undefined
    },
  })
  const durations: number[] = []
  const withLeader = generateLoad({
    clients: 8,
    url: (client, round) => running.gateway + good[(client + round) % good.length],
    onResponse({ status, sentAt }) {
      expect(status).toBe(202)
      return durations.push(performance.now() - sentAt) >= 8 * rounds ? "enough" : undefined
    },
  })
  await expect.poll(() => durations.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(8 * rounds)
  await Promise.all([withLeader.stop(), withoutLeader.stop()])
  expect(durations.toSorted((x, y) => x - y).at(-9)).toBeLessThan(500)

  await second?.resume()
  await expect.poll(readiness, { timeout: 30_000 }).toEqual({ status: 200, why: "" })
  expect(await unavailablePartitions()).toBe(0)
  expect(await statuses()).toEqual(new Set([202]))
  await expectOnTopic(
    cluster.brokers.map(({ address }) => address),
    topic,
    accepted,
  )
})

test("an idle gateway whose brokers are killed is unready within seconds, and ready again without any trigger", {
  timeout: 120_000,
}, async () => {
  await expect.poll(readiness, { timeout: 30_000 }).toEqual({ status: 200, why: "" })
  await Promise.all(cluster.brokers.map((broker) => broker.halt("kill")))
  await expect.poll(async () => (await readiness()).status, { timeout: 5_000 }).toBe(503)
  expect(await statuses()).toEqual(new Set([503]))
  await Promise.all(cluster.brokers.map((broker) => broker.resume()))
  await expect.poll(readiness, { timeout: 60_000 }).toEqual({ status: 200, why: "" })
  expect(await statuses()).toEqual(new Set([202]))
  expect(running.output()).not.toMatch(/swt_|connectors\/hook/i)
  expect(await running.end("SIGTERM")).toBe(0)
})
