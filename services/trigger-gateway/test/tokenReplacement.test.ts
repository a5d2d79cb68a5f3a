import { openPool } from "@sitewire/database"
import { freshDatabase, freshTopics, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { call, generateLoad } from "./fixtures/call.ts"
import { addConnection, replaceToken } from "./fixtures/connections.ts"
import { runGateway } from "./fixtures/runGateway.ts"

test("a replaced token gets 404 on every replica as soon as the replacement has returned", async () => {
  const database = await freshDatabase()
  const topic = (await freshTopics()).names.connectorTriggered
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  const start = () => runGateway({ databaseUrl: database.url, topic })
  const replicas = await Promise.all([start(), start(), start()])
  const { path } = await addConnection(pool.sql, "shop")

  const received: { status: number; sentAt: number }[] = []
  const load = generateLoad({
    clients: 24,
    url: (client) => `${replicas[client % replicas.length]?.gateway}${path}`,
    onResponse: ({ status, sentAt }) => void received.push({ status, sentAt }),
  })
  await waitUntil("load", () => received.length > 500)
  const replaced = await replaceToken(pool.sql, "shop")
  const replacedAt = performance.now()
  const after = () => received.filter(({ sentAt }) => sentAt > replacedAt)
  await waitUntil("calls after the replacement", () => after().length > 500)
  await load.stop()

  expect(new Set(received.map(({ status }) => status))).toEqual(new Set([202, 404]))
  expect(after().filter(({ status }) => status !== 404)).toEqual([])
  for (const { gateway } of replicas) {
    expect(await call(gateway + replaced.path)).toMatchObject({ status: 202 })
    expect(await call(gateway + path)).toMatchObject({ status: 404 })
  }
  await Promise.all(replicas.map((replica) => replica.close()))
  await pool.close()
  await database.drop()
})
