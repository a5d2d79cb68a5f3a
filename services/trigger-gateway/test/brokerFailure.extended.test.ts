import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { topicCatalogue, topicConfig } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { connectKafka, ensureTopics, type KafkaConnection } from "@sitewire/kafka"
import { type FreshDatabase, freshDatabase, silentLog, waitUntil } from "@sitewire/testkit"
import { startKafkaCluster } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { call, correlationOf, generateLoad } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { expectOnTopic } from "./fixtures/readTriggers.ts"
import { runGateway, type TestGateway } from "./fixtures/runGateway.ts"
import { startGateway } from "./fixtures/startGateway.ts"

let database: FreshDatabase
let paths: string[]
let directory: string
let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let running: TestGateway

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
  await createTopics(kafka, "", 1)
  running = await runGateway({ databaseUrl: database.url, topic, brokers, limits: { deadlineMs: 2_000 } })
})

function createTopics(kafka: KafkaConnection, prefix: string, copies: number) {
  const catalogue = topicCatalogue({ prefix, retryDelaysMs: [], retryPeriodMs: 3_600_000 })
  const topics = catalogue.map((each) => ({ ...each, partitions, config: topicConfig(each, copies) }))
  return ensureTopics({ kafka, topics, replicationFactor: copies })
}

afterAll(async () => {
  await running?.close()
  await cluster?.stop()
  await database?.drop()
  await rm(directory, { recursive: true, force: true })
})

const readiness = () => {
  const { ready, checks } = running.readiness()
  return { ready, why: checks.kafka?.why ?? "" }
}
const triggerAll = () => Promise.all(paths.map((path) => call(running.gateway + path)))
const statuses = async () => new Set((await triggerAll()).map(({ status }) => status))
const unavailablePartitions = () => running.metric("sitewire_trigger_partitions_unavailable")
const becomeReady = () =>
  waitUntil("all partitions to accept records", () => readiness().ready && readiness().why === "")

test("with one broker of three killed, triggers of partitions with a leader get 202 and others 503, and readiness names the partitions", async () => {
  const [, second] = cluster.brokers
  await becomeReady()
  await second?.halt("kill")
  await waitUntil("the outage to be noticed", () =>
    /^2 of 6 partitions accept no records/.test(readiness().why),
  )
  const responses = await triggerAll()
  const accepted = responses.map(correlationOf).filter((correlation) => correlation !== "")
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202, 503]))
  // Two thirds of the partitions.
  expect(accepted.length).toBeGreaterThan(paths.length / 3)
  expect(readiness().ready).toBe(true)
  expect(await unavailablePartitions()).toBe(2)
  expect(running.output()).toMatch(/partitions accept no records/)

  // Under load: triggers without a leader wait, and delay no others.
  const good = paths.filter((_, at) => responses[at]?.status === 202)
  const bad = paths.filter((_, at) => responses[at]?.status === 503)
  const withoutLeader = generateLoad({
    clients: 8,
    url: (client, round) => running.gateway + bad[(client + round) % bad.length],
    onResponse({ status }) {
      expect(status).toBe(503)
      return undefined
    },
  })
  const waitingWithoutLeader = () => running.metric("sitewire_triggers_waiting")
  await waitUntil("triggers without a leader to wait", async () => (await waitingWithoutLeader()) > 0)
  const durations: number[] = []
  const withLeader = generateLoad({
    clients: 8,
    url: (client, round) => running.gateway + good[(client + round) % good.length],
    onResponse({ status, sentAt }) {
      expect(status).toBe(202)
      return durations.push(performance.now() - sentAt) >= 120 ? "enough" : undefined
    },
  })
  await withLeader.done
  await withoutLeader.stop()
  // Those without a leader wait for the deadline of 2 s.
  expect(durations.toSorted((x, y) => x - y)[60]).toBeLessThan(1_000)

  await second?.resume()
  await becomeReady()
  expect(await unavailablePartitions()).toBe(0)
  expect(await statuses()).toEqual(new Set([202]))
  await expectOnTopic(
    cluster.brokers.map(({ address }) => address),
    topic,
    accepted,
  )
})

test("while one broker of three is killed, each call a second gets 202, with the defaults of Kafka and of the gateway", async () => {
  await becomeReady()
  const brokers = cluster.brokers.map(({ address }) => address)
  await createTopics(connectKafka({ brokers, clientId: "gateway-tests", log: silentLog }), "copied.", 3)
  const gateway = await startGateway({
    DATABASE_URL: database.url,
    KAFKA_BROKERS: brokers.join(),
    TOPIC_PREFIX: "copied.",
  })
  onTestFinished(async () => void (await gateway.end("SIGTERM")))
  const responses: ({ waitedMs: number } & Awaited<ReturnType<typeof call>>)[] = []
  const calling: Promise<unknown>[] = []
  const timer = setInterval(() => {
    for (const path of paths.slice(0, 12)) {
      const called = call(gateway.gateway + path)
      const record = (response: Awaited<typeof called>) =>
        responses.push({ ...response, waitedMs: performance.now() - response.sentAt })
      calling.push(called.then(record))
    }
  }, 1_000)
  await waitUntil("the first calls", () => responses.length >= 12)
  const [, second] = cluster.brokers
  await second?.halt("kill")
  const killedAt = performance.now()
  const readinesses = new Set<number>()
  await waitUntil("calls after the outage", async () => {
    readinesses.add((await fetch(`${gateway.ops}/readyz`)).status)
    return responses.some(({ sentAt, waitedMs }) => sentAt > killedAt + 5_000 && waitedMs < 500)
  })
  clearInterval(timer)
  await Promise.all(calling)
  await second?.resume()
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 202))
  // Otherwise proxies would reject calls.
  expect(readinesses).toEqual(new Set([200]))
  // Shows that Kafka has its default: for so long, partitions wait for the dead broker.
  expect(Math.max(...responses.map(({ waitedMs }) => waitedMs))).toBeGreaterThan(4_000)
  await expectOnTopic(brokers.toSpliced(1, 1), "copied.connector.triggered", responses.map(correlationOf))
})

test("an idle gateway whose brokers are killed is unready, and ready again without any trigger", async () => {
  await becomeReady()
  await Promise.all(cluster.brokers.map((broker) => broker.halt("kill")))
  await waitUntil("the gateway to be unready", () => !readiness().ready)
  expect(await statuses()).toEqual(new Set([503]))
  await Promise.all(cluster.brokers.map((broker) => broker.resume()))
  await becomeReady()
  await waitUntil("all to be accepted", async () => !(await statuses()).has(503))
  expect(running.output()).not.toMatch(/swt_|connectors\/hook/i)
})
