import { newConnectorToken } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { freshDatabase, freshTopics, kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { afterAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { addConnection, pathOf, replaceToken } from "./fixtures/connections.ts"
import { killLeftGateways, startGateway } from "./fixtures/startGateway.ts"

afterAll(killLeftGateways)

test("calls of a replaced URL get the 404 of any wrong URL, and are counted by all gateways, also when they stop", {
  timeout: 60_000,
}, async () => {
  const database = await freshDatabase()
  const { prefix } = await freshTopics()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  const env = { DATABASE_URL: database.url, KAFKA_BROKERS: kafkaBrokers().join(), TOPIC_PREFIX: prefix }
  const [first, second] = await Promise.all([startGateway(env), startGateway(env)])
  const old = await addConnection(pool.sql, "moved")
  const same = await addConnection(pool.sql, "same")
  const now = await replaceToken(pool.sql, "moved")
  const read = () =>
    pool.sql<{ connection_id: string; calls: number; recent: boolean }>(
      `select connection_id, calls::int, last_called_at > now() - interval '1 minute' as recent from replaced_token`,
    )
  const total = async () => (await read())[0]?.calls

  const shape = async (path: string) => {
    const response = await call(first.gateway + path)
    if (!("text" in response)) throw new Error("no response")
    const { date: _, "x-request-id": __, ...headers } = response.headers
    return { status: response.status, headers, text: response.text.replace(/req_\w+|[0-9a-f-]{36}/g, "") }
  }
  const wrong = await shape(pathOf("moved", newConnectorToken()))
  expect(wrong.status).toBe(404)
  expect(await shape(old.path)).toEqual(wrong)
  expect(await shape(pathOf("none", newConnectorToken()))).toEqual(wrong)
  await Promise.all([old.path, old.path, now.path, same.path].map((path) => call(second.gateway + path)))
  await waitUntil("the calls at both gateways", async () => (await total()) === 3)
  expect(await read()).toEqual([{ connection_id: "moved", calls: 3, recent: true }])

  await call(first.gateway + old.path)
  expect(await Promise.all([first.end("SIGTERM"), second.end("SIGTERM")])).toEqual([0, 0])
  expect(await total()).toBe(4)
  expect(first.output()).not.toContain(old.token)
  await pool.sql("delete from connection where id = 'moved'")
  expect(await read()).toEqual([])
  await pool.close()
  await database.drop()
})
