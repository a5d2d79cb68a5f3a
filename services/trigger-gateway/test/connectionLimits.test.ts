import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { openPool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase, freshTopics, kafkaBrokers } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, sendBytes } from "./fixtures/call.ts"
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

test("connections that send nothing, an incomplete header or body, or stay idle are closed at their time-outs", async () => {
  const start = `POST ${path} HTTP/1.1\r\nHost: a\r\n`
  const texts = ["", start, `${start}Content-Length: 9\r\n\r\nx`, `${start}\r\n`]
  const [silent, header, body, idle] = await Promise.all(
    texts.map((text) => sendBytes(running.gateway, text, { deadlineMs: 7_000 })),
  )
  expect(silent).toMatchObject({ closed: true })
  expect(header).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 408 /) })
  expect(body).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 408 /) })
  expect(idle).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 202 /) })
})

async function open(count: number, sends = "") {
  const { hostname, port } = new URL(running.gateway)
  const sockets: Socket[] = []
  // One after another, so that the gateway accepts them in this order.
  while (sockets.length < count) {
    const socket = connect(Number(port), hostname, () => socket.write(sends))
    socket.on("error", () => {})
    await once(socket, sends === "" ? "connect" : "data")
    sockets.push(socket.resume())
  }
  return sockets
}

/** A request whose body never arrives. The gateway sends 100 Continue when it has the header. */
const slow = () => `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`

async function end(sockets: Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.filter(({ closed }) => !closed).map((socket) => once(socket, "close")))
}

test("idle connections lock nobody out: a new connection closes the one that has been idle for longest", async () => {
  const [oldest, ...others] = await open(50)
  expect(await call(running.gateway + path)).toMatchObject({ status: 202 })
  await expect.poll(() => oldest?.closed).toBe(true)
  expect(others.filter(({ closed }) => closed)).toEqual([])
  await end(others)
})

test("a new connection closes an idle one and none with a request in flight, whatever their age", async () => {
  const [busy, idle] = [await open(25, slow()), await open(25)]
  for (let calls = 0; calls < 30; calls++) {
    expect(await call(running.gateway + path)).toMatchObject({ status: 202 })
  }
  expect(busy.filter(({ closed }) => closed)).toEqual([])
  expect(idle.filter(({ closed }) => closed).length).toBeGreaterThan(0)
  await end([...busy, ...idle])
})

test("new connections above the limit are closed if none is idle, and accepted when others end", async () => {
  const sockets = await open(50, slow())
  expect(await call(running.gateway + path)).toMatchObject({ status: 0 })
  expect(sockets.filter(({ closed }) => closed)).toEqual([])
  await end(sockets)
  await expect.poll(() => call(running.gateway + path), { timeout: 5_000 }).toMatchObject({ status: 202 })
})
