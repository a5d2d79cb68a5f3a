import { execFileSync } from "node:child_process"
import { openPool } from "@sitewire/database"
import { freshDatabase, freshTopics, kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { afterAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { openIdleConnections } from "./fixtures/openIdleConnections.ts"
import { readMetric } from "./fixtures/readMetric.ts"
import { killLeftGateways, startGateway } from "./fixtures/startGateway.ts"

afterAll(killLeftGateways)

const count = 10_000

/** Gets 404 without a query. Like a partner's idle connection, each connection has completed a request. */
const request = "POST /elsewhere HTTP/1.1\r\nHost: shop.example\r\n\r\n"

/**
 * Checks the hard limit: Node raises the soft one. Gateway and test need a descriptor for each connection.
 */
function expectDescriptors(): void {
  const limit = execFileSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }).trim()
  if (limit !== "unlimited" && Number(limit) < count + 1_000) {
    throw new Error(
      `${count} idle connections need ${count + 1_000} file descriptors, and this machine allows a process ${limit}. ` +
        "Raise the hard limit (ulimit -Hn, or LimitNOFILE) and run the test again.",
    )
  }
}

test("10,000 idle connections delay no trigger and need little memory each", async () => {
  expectDescriptors()
  const database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  const { path } = await addConnection(pool.sql, "idle")
  await pool.close()
  // The default of GATEWAY_MAX_CONNECTIONS must allow this many.
  const running = await startGateway({
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(),
    TOPIC_PREFIX: (await freshTopics()).prefix,
    GATEWAY_KEEP_ALIVE: "1h",
  })
  const resident = () => readMetric(running.ops, "process_resident_memory_bytes")
  const openSockets = () => readMetric(running.ops, 'nodejs_active_resources{type="TCPSocketWrap"')

  async function medianOf200(): Promise<number> {
    const durations: number[] = []
    async function trigger(): Promise<void> {
      for (let round = 0; round < 20; round += 1) {
        const { status, sentAt } = await call(running.gateway + path)
        expect(status).toBe(202)
        durations.push(performance.now() - sentAt)
      }
    }
    await Promise.all(Array.from({ length: 10 }, trigger))
    return durations.toSorted((a, b) => a - b)[100] ?? Number.NaN
  }

  await medianOf200()
  const medianBefore = await medianOf200()
  const before = await resident()
  const openBefore = await openSockets()
  const openAll = () => openIdleConnections({ origin: running.gateway, count, concurrency: 256, request })
  const first = await openAll()
  expect(await openSockets()).toBeGreaterThanOrEqual(count)
  const median = await medianOf200()
  expect(first.open()).toBe(count)
  const eachBytes = ((await resident()) - before) / count
  // Other work on the machine delays both.
  expect(median).toBeLessThan(5 * medianBefore + 50)
  // Measured: 17 KB. With 28 KB, 12,000 connections and everything else fit into 512 MiB.
  expect(eachBytes).toBeLessThan(28_000)
  first.close()
  await waitUntil(
    "the gateway to notice that they are closed",
    async () => (await openSockets()) <= openBefore,
  )

  const second = await openAll()
  expect(second.open()).toBe(count)
  // Node returns little memory to the system, but must reuse that of the closed connections.
  const againBytes = ((await resident()) - before) / count
  expect(againBytes).toBeLessThan(1.9 * eachBytes)
  second.close()
  expect(await running.end("SIGTERM")).toBe(0)
  await database.drop()
})
