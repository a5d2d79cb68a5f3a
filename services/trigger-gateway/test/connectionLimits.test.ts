import { once } from "node:events"
import { Agent } from "node:http"
import { connect, type Socket } from "node:net"
import { newConnectorToken } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase, freshTopics, postgresAddress, waitUntil } from "@sitewire/testkit"
import { interruptNetwork } from "@sitewire/testkit/interruptNetwork"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { call, sendBytes } from "./fixtures/call.ts"
import { addConnection, pathOf } from "./fixtures/connections.ts"
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
  const [silent, header, body, rejected, idle] = await Promise.all([
    closed("", { headersTimeoutMs: 300 }),
    closed(head, { headersTimeoutMs: 300 }),
    closed(`${head}Content-Length: 9\r\n\r\nx`, { requestTimeoutMs: 400 }),
    closed(`GET ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx`, { requestTimeoutMs: 400 }),
    closed(`${head}\r\n`, { keepAliveMs: 500 }),
  ])
  expect(silent).toMatchObject({ closed: true })
  expect(silent.tookMs).toBeGreaterThanOrEqual(300)
  expect(header).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 408 /) })
  expect(header.tookMs).toBeGreaterThanOrEqual(300)
  expect(body).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 408 /) })
  expect(body.tookMs).toBeGreaterThanOrEqual(400)
  // Its response did not wait for the body, and no second one follows.
  expect(rejected).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 405 /) })
  expect(rejected.text.match(/HTTP\/1\.1/g)).toHaveLength(1)
  expect(idle).toMatchObject({ closed: true, text: expect.stringMatching(/^HTTP\/1\.1 202 /) })
  expect(idle.tookMs).toBeGreaterThanOrEqual(500)
})

/** Opens `count` connections that send these bytes, and waits for a response to each, if they contain a request. */
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

const post = (rest = "\r\n") => `POST ${path} HTTP/1.1\r\nHost: a\r\n${rest}`
/** A request whose body never arrives. The gateway sends 100 Continue when it has the header. */
const incomplete = () => post("Expect: 100-continue\r\nContent-Length: 9\r\n\r\n")
const isOpen = ({ closed }: Socket) => !closed

async function end(sockets: Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy()
  await Promise.all(sockets.filter(isOpen).map((socket) => once(socket, "close")))
}

test("neither silent connections nor incomplete or rejected requests lock anybody out, however many there are", async () => {
  const rejected = "POST /elsewhere HTTP/1.1\r\nHost: a\r\n"
  const floods = [
    "",
    incomplete(),
    `${rejected}\r\n`,
    `${rejected}Content-Length: 9\r\n\r\n`,
    `POST ${pathOf("nobody", newConnectorToken())} HTTP/1.1\r\nHost: a\r\n\r\n`,
  ]
  const { gateway } = await start()
  for (const flood of floods) {
    const sockets = await open(gateway, maxConnections, flood)
    for (let calls = 0; calls < 3; calls += 1)
      expect(await call(gateway + path), flood).toMatchObject({ status: 202 })
    await end(sockets)
  }
})

test("a new connection closes the one that has been idle for longest", async () => {
  const { gateway } = await start()
  const [oldest, ...others] = await open(gateway, maxConnections)
  expect(await call(gateway + path)).toMatchObject({ status: 202 })
  await waitUntil("the oldest to be closed", () => oldest?.closed)
  expect(others.filter((socket) => !isOpen(socket))).toEqual([])
  await end(others)
})

test("connections without an accepted trigger close none with one, unless these are more than half", async () => {
  const { gateway } = await start()
  const proven = await open(gateway, maxConnections / 2, post())
  const flood = await open(gateway, 2 * maxConnections, incomplete())
  expect(proven.filter(isOpen)).toHaveLength(maxConnections / 2)
  await end(flood)
  const [oldest, ...others] = [...proven, ...(await open(gateway, maxConnections / 2, post()))]
  expect(await call(gateway + path)).toMatchObject({ status: 202 })
  await waitUntil("the oldest to be closed", () => oldest?.closed)
  expect(others.filter(isOpen)).toHaveLength(maxConnections - 1)
  await end(others)
})

test("a connection whose trigger waits is never closed; if all are such, a new one is closed, until one of them has its response", async () => {
  const network = interruptNetwork(Number(new URL(postgresAddress()).port))
  const { gateway, metric } = await start({ maxConnections, deadlineMs: 600_000 })
  network.hang()
  const agent = new Agent({ keepAlive: true })
  const waiting = Array.from({ length: maxConnections }, () => call(gateway + path, { agent }))
  await waitUntil(
    "all of them to wait",
    async () => (await metric("sitewire_triggers_waiting")) === maxConnections,
  )
  expect(await call(gateway + path)).toMatchObject({ status: 0 })
  network.resume()
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([202]))
  expect(await call(gateway + path)).toMatchObject({ status: 202 })
  agent.destroy()
})
