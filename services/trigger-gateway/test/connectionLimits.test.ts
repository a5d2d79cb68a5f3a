import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { openPool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase, freshTopics, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { call, sendBytes } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { runGateway } from "./fixtures/runGateway.ts"

const maxConnections = 50

let database: FreshDatabase
let topic: string
let path: string

beforeAll(async () => {
  database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  path = (await addConnection(pool.sql, "limits")).path
  await pool.close()
  topic = (await freshTopics()).names.connectorTriggered
})

afterAll(() => database.drop())

async function start(limits: Parameters<typeof runGateway>[0]["limits"] = { maxConnections }) {
  const running = await runGateway({ databaseUrl: database.url, topic, limits })
  onTestFinished(running.close)
  return running
}

test("connections that send nothing, an incomplete header or body, or stay idle are closed at their time-outs", async () => {
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n`
  const closed = async (bytes: string, limits: { [name: string]: number }) => {
    const { gateway } = await start(limits)
    const startedAt = performance.now()
    const response = await sendBytes(gateway, bytes)
    return { ...response, tookMs: performance.now() - startedAt }
  }
  const [silent, header, body, idle] = await Promise.all([
    closed("", { headersTimeoutMs: 300 }),
    closed(head, { headersTimeoutMs: 300 }),
    closed(`${head}Content-Length: 9\r\n\r\nx`, { requestTimeoutMs: 400 }),
    closed(`${head}\r\n`, { keepAliveMs: 500 }),
  ])
  expect(silent).toMatchObject({ closed: true })
  expect(silent.tookMs).toBeGreaterThanOrEqual(300)
  expect(header).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 408 /) })
  expect(header.tookMs).toBeGreaterThanOrEqual(300)
  expect(body).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 408 /) })
  expect(body.tookMs).toBeGreaterThanOrEqual(400)
  expect(idle).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 202 /) })
  expect(idle.tookMs).toBeGreaterThanOrEqual(500)
})

async function open(origin: string, count: number, sends = "") {
  const { hostname, port } = new URL(origin)
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
  const { gateway } = await start()
  const [oldest, ...others] = await open(gateway, maxConnections)
  expect(await call(gateway + path)).toMatchObject({ status: 202 })
  await waitUntil("the oldest to be closed", () => oldest?.closed)
  expect(others.filter(({ closed }) => closed)).toEqual([])
  await end(others)
})

test("a new connection closes an idle one and none with a request in flight, whatever their age", async () => {
  const { gateway } = await start()
  const busy = await open(gateway, maxConnections / 2, slow())
  const idle = await open(gateway, maxConnections / 2)
  for (let calls = 0; calls < 30; calls++) expect(await call(gateway + path)).toMatchObject({ status: 202 })
  expect(busy.filter(({ closed }) => closed)).toEqual([])
  expect(idle.filter(({ closed }) => closed).length).toBeGreaterThan(0)
  await end([...busy, ...idle])
})

test("new connections above the limit are closed if none is idle, and accepted when others end", async () => {
  const { gateway } = await start()
  const sockets = await open(gateway, maxConnections, slow())
  expect(await call(gateway + path)).toMatchObject({ status: 0 })
  expect(sockets.filter(({ closed }) => closed)).toEqual([])
  await end(sockets)
  await waitUntil("a call to be accepted", async () => (await call(gateway + path)).status === 202)
})
