import { once } from "node:events"
import { connect } from "node:net"
import { openPool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase, freshTopics, kafkaBrokers } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, converse } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { killLeftGateways, type RunningGateway, startGateway } from "./fixtures/startGateway.ts"

afterAll(killLeftGateways)

let database: FreshDatabase
let running: RunningGateway
let path: string

beforeAll(async () => {
  database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  path = (await addConnection(pool.sql, "limits")).path
  await pool.close()
  running = await startGateway({
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(),
    TOPIC_PREFIX: (await freshTopics()).prefix,
    GATEWAY_HEADERS_TIMEOUT: "1s",
    GATEWAY_REQUEST_TIMEOUT: "2s",
    GATEWAY_KEEP_ALIVE: "1s",
    GATEWAY_MAX_CONNECTIONS: "50",
  })
})

afterAll(async () => {
  expect(await running.end("SIGTERM")).toBe(0)
  await database.drop()
})

test("who sends nothing, half a header or half a body is hung up on, and who is idle too", async () => {
  const start = `POST ${path} HTTP/1.1\r\nHost: a\r\n`
  const texts = ["", start, `${start}Content-Length: 9\r\n\r\nx`, `${start}\r\n`]
  const [silent, header, body, idle] = await Promise.all(
    texts.map((text) => converse(running.gateway, text, { deadlineMs: 7_000 })),
  )
  expect(silent).toMatchObject({ closed: true })
  expect(header).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 408 /) })
  expect(body).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 408 /) })
  expect(idle).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 202 /) })
})

test("more connections than allowed are closed as they come, and room is made when others end", async () => {
  const { hostname, port } = new URL(running.gateway)
  const sockets = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = connect(Number(port), hostname)
      await once(socket, "connect")
      return socket
    }),
  )
  expect(await call(running.gateway + path)).toMatchObject({ status: 0 })
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.map((socket) => once(socket, "close")))
  await expect.poll(() => call(running.gateway + path), { timeout: 5_000 }).toMatchObject({ status: 202 })
})
