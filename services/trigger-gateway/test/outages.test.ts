import { openPool } from "@sitewire/database"
import { ensureTopics } from "@sitewire/kafka"
import {
  type FreshDatabase,
  freshDatabase,
  freshTopics,
  kafkaBrokers,
  postgresAddress,
  waitUntil,
} from "@sitewire/testkit"
import { interruptNetwork } from "@sitewire/testkit/interruptNetwork"
// biome-ignore lint/style/noRestrictedImports: deletes a topic, which nothing of ours does.
import kafkajs from "kafkajs"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { call, correlationOf } from "./fixtures/call.ts"
import { addConnection, pathOf } from "./fixtures/connections.ts"
import { expectOnTopic } from "./fixtures/readTriggers.ts"
import { runGateway, type TestGateway } from "./fixtures/runGateway.ts"

let database: FreshDatabase
let topics: Awaited<ReturnType<typeof freshTopics>>
let path: string

beforeAll(async () => {
  database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  path = (await addConnection(pool.sql, "outage")).path
  await pool.close()
  topics = await freshTopics()
})

afterAll(() => database.drop())

const brokerPort = () => Number(kafkaBrokers()[0]?.split(":").at(-1))
const postgresPort = () => Number(new URL(postgresAddress()).port)

async function start(limits: Parameters<typeof runGateway>[0]["limits"] = { deadlineMs: 1_000 }) {
  const topic = topics.names.connectorTriggered
  const running = await runGateway({ databaseUrl: database.url, topic, limits })
  onTestFinished(running.close)
  return running
}

/** That a response comes during the outage shows that there is a deadline: nothing else ends the wait. */
async function expectUnavailable(running: TestGateway): Promise<void> {
  const calls = Array.from({ length: 20 }, () => call(running.gateway + path))
  for (const response of await Promise.all(calls)) {
    expect(response).toMatchObject({
      status: 503,
      headers: {
        "retry-after": "5",
        "content-type": "application/problem+json",
        "x-request-id": expect.stringMatching(/^[\da-f-]{36}$/),
      },
    })
  }
  await waitUntil("the gateway to be unready", () => !running.readiness().ready)
  // A malformed token needs neither Postgres nor Kafka.
  expect(await call(running.gateway + pathOf("outage", "swt_garbage"))).toMatchObject({ status: 404 })
}

/** Returns the correlation of an accepted trigger. */
async function expectRecovery(running: TestGateway): Promise<string> {
  const trigger = async () => correlationOf(await call(running.gateway + path)) || null
  const correlation = await waitUntil("a trigger to be accepted", trigger)
  await waitUntil("the gateway to be ready", () => running.readiness().ready)
  return correlation
}

test("while the broker is unavailable or hangs, triggers get 503 within the deadline and the gateway is unready; it recovers without a restart", async () => {
  const network = interruptNetwork(brokerPort())
  const running = await start()
  const accepted = [await expectRecovery(running)]
  for (const [interrupt, end] of [
    [network.cut, network.restore],
    [network.hang, network.resume],
  ] as const) {
    interrupt()
    await expectUnavailable(running)
    end()
    accepted.push(await expectRecovery(running))
  }
  await expectOnTopic(kafkaBrokers(), topics.names.connectorTriggered, accepted)
  expect(running.output()).not.toMatch(/swt_|connectors\/hook/i)
})

test("while Postgres is unavailable or hangs, triggers get 503 within the deadline and the gateway is unready; it recovers without a restart", async () => {
  const network = interruptNetwork(postgresPort())
  const running = await start()
  for (const interrupt of [network.cut, network.hang]) {
    await expectRecovery(running)
    interrupt()
    await expectUnavailable(running)
    network.restore()
    await expectRecovery(running)
  }
  expect(running.output()).not.toMatch(/swt_|connectors\/hook/i)
})

test("triggers beyond GATEWAY_MAX_WAITING get 503 at once", async () => {
  const network = interruptNetwork(postgresPort())
  const running = await start({ maxWaiting: 10, deadlineMs: 600_000 })
  await expectRecovery(running)
  network.hang()
  const statuses: number[] = []
  const calls = Array.from({ length: 30 }, async () => {
    statuses.push((await call(running.gateway + path)).status)
  })
  // The others wait for Postgres, because the deadline is far away.
  await waitUntil("20 responses", () => statuses.length >= 20)
  expect(statuses).toEqual(Array(20).fill(503))
  network.resume()
  await Promise.all(calls)
  expect(statuses.slice(20)).toEqual(Array(10).fill(202))
})

test("an idle gateway checks Kafka again and again, and opens no connection for it", async () => {
  const network = interruptNetwork(brokerPort())
  const running = await start()
  await expectRecovery(running)
  // For longer than the second for which an acknowledgement makes a request needless.
  const severalChecks = () => {
    const until = performance.now() + 1_500
    return waitUntil("several checks", () => performance.now() > until)
  }
  await severalChecks()
  const opened = network.opened()
  expect(opened).toBeGreaterThan(0)
  await severalChecks()
  expect(running.readiness().ready).toBe(true)
  expect(network.opened()).toBe(opened)
})

test("while the topic is deleted, triggers get 503 and the gateway is unready", async () => {
  const { kafka, names } = await freshTopics()
  const topic = names.connectorTriggered
  const running = await runGateway({ databaseUrl: database.url, topic, limits: { deadlineMs: 1_000 } })
  onTestFinished(running.close)
  await expectRecovery(running)
  const admin = new kafkajs.Kafka({ brokers: kafkaBrokers(), logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  onTestFinished(() => admin.disconnect())
  await admin.deleteTopics({ topics: [topic] })
  // The controller confirms a deletion before the broker that leads the partition knows of it.
  await waitUntil(
    "the broker to reject triggers",
    async () => (await call(running.gateway + path)).status === 503,
  )
  await expectUnavailable(running)
  // For longer than the 3 s for which a failed publication alone makes the gateway unready.
  const until = performance.now() + 3_500
  await waitUntil("several checks", () => {
    expect(running.readiness().ready).toBe(false)
    return performance.now() > until
  })
  expect(running.readiness().checks.kafka?.why).toMatch(/the topic [^ ]+ does not exist/)
  await ensureTopics({ kafka, topics: [{ name: topic, partitions: 2, config: {} }] })
  await expectRecovery(running)
})

test("with a clock two hours ahead, triggers are accepted; if the topic uses the clock of publishers, the gateway is unready and says why", async () => {
  const { kafka, names } = await freshTopics()
  const topic = names.connectorTriggered
  const now = Date.now
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + 2 * 3_600_000)
  onTestFinished(() => clock.mockRestore())
  const running = await runGateway({ databaseUrl: database.url, topic })
  onTestFinished(running.close)
  const setTimestamps = (by: string) => {
    const config = { "message.timestamp.type": by }
    return ensureTopics({ kafka, topics: [{ name: topic, partitions: 1, config }] })
  }
  const accepted = [await expectRecovery(running)]
  await setTimestamps("CreateTime")
  await waitUntil("a trigger to be rejected", async () => (await call(running.gateway + path)).status === 503)
  await waitUntil("the gateway to be unready", () => !running.readiness().ready)
  expect(running.readiness().checks.kafka?.why).toMatch(/timestamp .* Correct this machine's clock/)
  await setTimestamps("LogAppendTime")
  accepted.push(await expectRecovery(running))
  clock.mockRestore()
  await expectOnTopic(kafkaBrokers(), topic, accepted)
})

test("a gateway rejects triggers while its Postgres is a standby, whose tokens may be outdated", async () => {
  const own = await freshDatabase()
  onTestFinished(own.drop)
  const pool = openPool({ url: own.url, size: 1, name: "gateway-tests" })
  const { path } = await addConnection(pool.sql, "demoted")
  // Precedes Postgres's own function in the search path of new sessions.
  await pool.sql("create schema test")
  await pool.sql("create table test.state as select false as standby")
  await pool.sql(
    "create function test.pg_is_in_recovery() returns boolean language sql as 'select standby from test.state'",
  )
  await pool.sql(
    `alter database ${new URL(own.url).pathname.slice(1)} set search_path = test, pg_catalog, public`,
  )
  const running = await runGateway({ databaseUrl: own.url, topic: topics.names.connectorTriggered })
  // What a failover does to the old primary, which can still be reached under its name for some time.
  const restartAs = async (standby: boolean) => {
    await pool.sql("update test.state set standby = $1", [standby])
    await pool.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    )
  }
  const trigger = async () => (await call(running.gateway + path)).status
  expect(await trigger()).toBe(202)
  await restartAs(true)
  await waitUntil("the gateway to be unready", () => !running.readiness().ready)
  for (let n = 0; n < 5; n++) expect(await trigger()).toBe(503)
  // The first reason can be that the old connections were closed.
  await waitUntil("the reason", () => running.readiness().checks.postgres?.why?.includes("standby"))
  await restartAs(false)
  await waitUntil("triggers to be accepted again", async () => (await trigger()) === 202)
  await running.close()
  await pool.close()
})
