import { execFileSync } from "node:child_process"
import { openPool } from "@sitewire/database"
import { freshDatabase, freshTopics, kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { afterAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { holdIdle } from "./fixtures/openIdleConnections.ts"
import { readMetric } from "./fixtures/readMetric.ts"
import { killLeftGateways, startGateway } from "./fixtures/startGateway.ts"

afterAll(killLeftGateways)

const count = 10_000

/** Answered 404, without a query: the connection has been through a whole request, as a partner's kept one has. */
const request = "POST /elsewhere HTTP/1.1\r\nHost: shop.example\r\n\r\n"

/** Node raises the soft limit to this by itself. The gateway and this process need one for each connection. */
function expectDescriptors(): void {
  const limit = execFileSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }).trim()
  if (limit !== "unlimited" && Number(limit) < count + 1_000) {
    throw new Error(
      `${count} idle connections need ${count + 1_000} file descriptors, and this machine allows a process ${limit}. ` +
        "Raise the hard limit (ulimit -Hn, or LimitNOFILE) and run the test again.",
    )
  }
}

test("10,000 idle connections slow no trigger, take little memory each, and are hung up on at the time-out", {
  timeout: 60_000,
}, async () => {
  expectDescriptors()
  const database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  const { path } = await addConnection(pool.sql, "idle")
  await pool.close()
  // GATEWAY_MAX_CONNECTIONS is left at its default, which is there for these.
  const running = await startGateway({
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(),
    TOPIC_PREFIX: (await freshTopics()).prefix,
    GATEWAY_KEEP_ALIVE: "8s",
  })
  const resident = () => readMetric(running.ops, "process_resident_memory_bytes")
  const held = () => readMetric(running.ops, 'nodejs_active_resources{type="TCPSocketWrap"')

  async function trigger200(): Promise<number> {
    const durations: number[] = []
    async function trigger(): Promise<void> {
      for (let round = 0; round < 20; round += 1) {
        const { status, sentAt } = await call(running.gateway + path)
        expect(status).toBe(202)
        durations.push(performance.now() - sentAt)
      }
    }
    await Promise.all(Array.from({ length: 10 }, trigger))
    return durations.toSorted((a, b) => a - b)[197] ?? Number.NaN
  }

  await trigger200()
  const before = await resident()
  const few = await held()
  const hold = () => holdIdle({ origin: running.gateway, count, abreast: 256, request })
  const first = await hold()
  expect(await held()).toBeGreaterThanOrEqual(count)
  const p99 = await trigger200()
  expect(first.open()).toBe(count)
  const eachBytes = ((await resident()) - before) / count
  // 4 ms to 70 ms and 17 KB were seen; 12,000 connections at this bound and all else fit into 512 MiB.
  expect(p99).toBeLessThan(500)
  expect(eachBytes).toBeLessThan(28_000)
  first.close()
  await waitUntil("the gateway to notice that they have gone", async () => (await held()) <= few)

  const second = await hold()
  const heldAt = performance.now()
  expect(second.open()).toBe(count)
  // Node gives little back to the system, and need not: the next ones are held in what the last ones let go.
  const againBytes = ((await resident()) - before) / count
  expect(againBytes).toBeLessThan(1.9 * eachBytes)
  await waitUntil("the idle ones to be hung up on", () => second.open() === 0, 20_000)
  expect(performance.now() - heldAt).toBeLessThan(16_000)
  await waitUntil("the gateway to have let go of them", async () => (await held()) <= few)
  expect(await running.end("SIGTERM")).toBe(0)
  await database.drop()
})
