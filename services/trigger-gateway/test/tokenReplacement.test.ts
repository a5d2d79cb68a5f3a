import { openPool } from "@sitewire/database"
import { freshDatabase, freshTopics, kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { afterAll, expect, test } from "vitest"
import { call, generateLoad } from "./fixtures/call.ts"
import { addConnection, replaceToken } from "./fixtures/connections.ts"
import { killLeftGateways, startGateway } from "./fixtures/startGateway.ts"

afterAll(killLeftGateways)

test("a replaced token gets 404 on every replica as soon as the replacement has returned", {
  timeout: 60_000,
}, async () => {
  const database = await freshDatabase()
  const { prefix } = await freshTopics()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  const env = {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(),
    TOPIC_PREFIX: prefix,
    LOG_LEVEL: "warn",
  }
  const replicas = await Promise.all([startGateway(env), startGateway(env), startGateway(env)])
  const { path } = await addConnection(pool.sql, "shop")

  const received: { status: number; sentAt: number }[] = []
  const load = generateLoad({
    clients: 24,
    url: (client) => `${replicas[client % replicas.length]?.gateway}${path}`,
    onResponse: ({ status, sentAt }) => void received.push({ status, sentAt }),
  })
  await waitUntil("load", () => received.length > 1_000)
  const replaced = await replaceToken(pool.sql, "shop")
  const replacedAt = performance.now()
  const after = () => received.filter(({ sentAt }) => sentAt > replacedAt)
  await waitUntil("calls after the replacement", () => after().length > 1_000)
  await load.stop()

  expect(new Set(received.map(({ status }) => status))).toEqual(new Set([202, 404]))
  expect(after().filter(({ status }) => status !== 404)).toEqual([])
  for (const { gateway } of replicas) {
    expect(await call(gateway + replaced.path)).toMatchObject({ status: 202 })
    expect(await call(gateway + path)).toMatchObject({ status: 404 })
  }
  expect(await Promise.all(replicas.map((replica) => replica.end("SIGTERM")))).toEqual([0, 0, 0])
  await pool.close()
  await database.drop()
})
