import { once } from "node:events"
import { connect } from "node:net"
import { openPool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase, freshTopics, kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, sendBytes } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { readMetric } from "./fixtures/readMetric.ts"
import { killLeftGateways, type RunningGateway, startGateway } from "./fixtures/startGateway.ts"

afterAll(killLeftGateways)

let database: FreshDatabase
let running: RunningGateway
let path: string

beforeAll(async () => {
  database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  path = (await addConnection(pool.sql, "floods")).path
  await pool.close()
  running = await startGateway({
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(),
    TOPIC_PREFIX: (await freshTopics()).prefix,
    GATEWAY_REQUEST_TIMEOUT: "2s",
    GATEWAY_DEADLINE: "1s",
  })
})

afterAll(async () => {
  expect(await running.end("SIGTERM")).toBe(0)
  await database.drop()
})

/** How many triggers were accepted, including those of callers that have disconnected. */
async function accepted(): Promise<number> {
  const waiting = () => readMetric(running.ops, "sitewire_triggers_waiting")
  await waitUntil("all waiting triggers to have an outcome", async () => (await waiting()) === 0)
  return readMetric(running.ops, 'sitewire_triggers_total{outcome="accepted"')
}
const statusesOf = (text: string) =>
  [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))
const post = (rest = "\r\n") => `POST ${path} HTTP/1.1\r\nHost: shop.example\r\n${rest}`
const lastPost = () => post("Connection: close\r\n\r\n")
const chunked = "Transfer-Encoding: chunked\r\n"

test("requests with too large headers are rejected without an echo, their connections are closed, and other callers are not delayed", async () => {
  const secret = path.split("/")[4] ?? ""
  const floods: [number, string][] = [
    [431, post(`${`${secret.slice(0, 20)}: x\r\n`.repeat(400)}\r\n`)],
    [431, post(`${"x:\r\n".repeat(9_000)}\r\n`)],
    [431, post(`Authorization: ${secret.repeat(300)}\r\n\r\n`)],
    [431, `POST ${path}${secret.repeat(300)} HTTP/1.1\r\nHost: shop.example\r\n\r\n`],
    [431, post(`${chunked}\r\n0\r\n${`X: ${secret}\r\n`.repeat(2_000)}\r\n`)],
    [413, post(`${chunked}\r\n1;a="${secret.repeat(600)}"\r\nx\r\n0\r\n\r\n`)],
    [400, `POST ${path} HTTP/1.1\r\nX: ${secret}\r\n\r\n`],
    [400, post(`${secret}\r\n\r\n`)],
  ]
  const before = await accepted()
  const others: number[] = []
  let flooding = true
  const calls = (async () => {
    while (flooding) {
      const { sentAt, status } = await call(running.gateway + path)
      expect(status).toBe(202)
      others.push(performance.now() - sentAt)
    }
  })()
  for (let round = 0; round < 20; round += 1) {
    const results = await Promise.all(
      floods.map(([, bytes]) => sendBytes(running.gateway, bytes + lastPost())),
    )
    for (const [index, { text, closed }] of results.entries()) {
      expect({ closed, statuses: statusesOf(text) }).toEqual({ closed: true, statuses: [floods[index]?.[0]] })
      expect(text).not.toMatch(/swt_|hook/i)
      expect(text).not.toContain(secret)
    }
  }
  flooding = false
  await calls
  expect(Math.max(...others)).toBeLessThan(500)
  expect(await accepted()).toBe(before + others.length)
})

/** Sends an endless header slowly, until the gateway closes the connection. */
async function drip(): Promise<{ text: string; tookMs: number; reset: boolean }> {
  const { hostname, port } = new URL(running.gateway)
  const startedAt = performance.now()
  const socket = connect(Number(port), hostname, () => socket.write(`POST ${path} HTTP/1.1\r\n`))
  let text = ""
  let reset = false
  socket.setEncoding("latin1").on("data", (chunk) => (text += chunk))
  socket.on("error", () => (reset = true))
  const drops = setInterval(() => socket.write("X: y\r\n"), 50)
  await new Promise((resolve) => socket.once("close", resolve))
  clearInterval(drops)
  return { text, tookMs: performance.now() - startedAt, reset }
}

test("an endless header is rejected at 8 KiB, or at its time-out if it comes slowly", {
  timeout: 20_000,
}, async () => {
  let dripped = await drip()
  // Bytes that arrive after the close reset the connection, which can lose the response. Then try again.
  while (dripped.reset && dripped.text === "") dripped = await drip()
  expect(dripped.text).toMatch(/^HTTP\/1\.1 408 [^\r]*\r\nConnection: close\r\n\r\n$/)
  expect(dripped.tookMs).toBeLessThan(5_000)

  const fast = await sendBytes(running.gateway, `POST ${path} HTTP/1.1\r\n${"X: y\r\n".repeat(100_000)}`)
  expect({ ...fast, statuses: statusesOf(fast.text) }).toMatchObject({ closed: true, statuses: [431] })
})

test("100 pipelined requests get their own responses, in order", async () => {
  const kinds = [
    { bytes: post(), status: 202 },
    { bytes: "POST /elsewhere HTTP/1.1\r\nHost: a\r\n\r\n", status: 404 },
    { bytes: post(`${chunked}\r\n1\r\nx\r\n0\r\n\r\n`), status: 202 },
    { bytes: `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`, status: 405 },
    { bytes: post("Content-Length: 3\r\n\r\nabc"), status: 202 },
  ]
  const requests = Array.from({ length: 99 }, (_, index) => kinds[(index * index) % kinds.length])
  requests.push({ bytes: lastPost(), status: 202 })
  const before = await accepted()
  const bytes = requests.map((request) => request?.bytes).join("")
  const { text } = await sendBytes(running.gateway, bytes)
  expect(statusesOf(text)).toEqual(requests.map((request) => request?.status))
  expect(await accepted()).toBe(before + statusesOf(text).filter((status) => status === 202).length)
})

test("a connection has at most 128 outstanding requests: the next gets 503 and the connection closes", async () => {
  const before = await accepted()
  const { text, closed } = await sendBytes(running.gateway, post().repeat(200))
  const statuses = statusesOf(text)
  expect(closed).toBe(true)
  expect(statuses.filter((status) => status !== 202)).toEqual([503])
  expect(statuses.at(-1)).toBe(503)
  expect(text).toMatch(/retry-after: 5\r\n.*Connection: close\r\n.*"status":503/is)
  expect(await accepted()).toBe(before + statuses.length - 1)

  // The gateway stops reading, so responses may be lost with the connection. No further trigger is accepted.
  const flood = await sendBytes(running.gateway, post().repeat(3_000))
  expect(flood.closed).toBe(true)
  expect(statusesOf(flood.text).length).toBeLessThan(3_000)
})

test("nothing behind a rejected body is processed as a request", async () => {
  const large = "x".repeat(1_025)
  const rejected = [
    post(`Content-Length: 1025\r\n\r\n${large}`),
    post(`${chunked}\r\n401\r\n${large}\r\n0\r\n\r\n`),
    post(`Content-Length: 50000\r\n\r\n${post().repeat(300)}`),
  ]
  const before = await accepted()
  for (const bytes of rejected) {
    const { text, closed } = await sendBytes(running.gateway, post() + bytes + post().repeat(20))
    expect({ closed, statuses: statusesOf(text) }).toEqual({ closed: true, statuses: [202, 413] })
  }
  expect(await accepted()).toBe(before + rejected.length)
})

test("a request with an ambiguous end is rejected, and nothing behind it is processed", async () => {
  const ambiguous: Record<string, string> = {
    "a length and chunks": post(`Content-Length: 4\r\n${chunked}\r\n0\r\n\r\n`),
    "chunks and a length": post(`${chunked}Content-Length: 4\r\n\r\n0\r\n\r\n`),
    "two lengths": post("Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd"),
    "the same length twice": post("Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd"),
    "two lengths in one field": post("Content-Length: 4, 5\r\n\r\nabcd"),
    "a signed length": post("Content-Length: +4\r\n\r\nabcd"),
    "a space before the colon": post("Content-Length : 4\r\n\r\nabcd"),
    "chunks that are not last": post("Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
    "an unknown encoding": post("Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    "bare LF": post().replaceAll("\r\n", "\n"),
    "bare LF in the header": post("X: a\n\r\n"),
    "bare LF at the header's end": post("X: a\r\n\n"),
    "bare CR": post(`X: a\r${chunked}\r\n0\r\n\r\n`),
    "a folded line": post("X: a\r\n Content-Length: 4\r\n\r\nabcd"),
    "bare LF after a chunk's size": post(`${chunked}\r\n1\nx\r\n0\r\n\r\n`),
    "bare LF after a chunk": post(`${chunked}\r\n1\r\nx\n0\r\n\r\n`),
    "a chunk's size that overflows": post(`${chunked}\r\n10000000000000001\r\nx\r\n0\r\n\r\n`),
    "chunks in HTTP/1.0": `POST ${path} HTTP/1.0\r\nHost: a\r\n${chunked}\r\n0\r\n\r\n`,
    "no host": `POST ${path} HTTP/1.1\r\n\r\n`,
  }
  const before = await accepted()
  for (const [name, bytes] of Object.entries(ambiguous)) {
    const { text, closed } = await sendBytes(running.gateway, bytes + post().repeat(3))
    expect({ name, closed, statuses: statusesOf(text) }).toEqual({ name, closed: true, statuses: [400] })
    expect(text).not.toMatch(/swt_|hook/i)
  }
  expect(await accepted()).toBe(before)
})

test("a client that closes its sending side after complete requests still gets the responses", async () => {
  const { hostname, port } = new URL(running.gateway)
  for (const bytes of [post(), post().repeat(10), post("Content-Length: 1\r\n\r\nx")]) {
    let text = ""
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () =>
      socket.end(bytes),
    )
    socket.setEncoding("latin1").on("data", (chunk) => (text += chunk))
    await once(socket, "end")
    socket.destroy()
    expect(statusesOf(text)).toEqual(
      bytes
        .split(`POST `)
        .slice(1)
        .map(() => 202),
    )
  }
})

test("a client that vanishes without reading its responses is disconnected, whatever was still to be sent", async () => {
  const { hostname, port } = new URL(running.gateway)
  const open = () => readMetric(running.ops, 'nodejs_active_resources{type="TCPSocketWrap"')
  const openBefore = await open()
  // Long requests: one read contains fewer than 128 of them, so all get their responses while these can be
  // sent.
  const request = `GET /elsewhere HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(1_000)}\r\n\r\n`
  const sockets = Array.from({ length: 6 }, () => {
    const socket = connect(Number(port), hostname).pause()
    socket.on("error", () => {})
    return socket
  })
  const sending = setInterval(() => {
    for (const socket of sockets)
      if (socket.writable && !socket.writableNeedDrain) socket.write(request.repeat(50))
  }, 10)
  await waitUntil("all of them to be open", async () => (await open()) >= openBefore + sockets.length)
  await waitUntil("their responses to be stuck", () =>
    sockets.every((socket) => socket.writableNeedDrain || socket.destroyed),
  )
  await waitUntil("the gateway to close them", async () => (await open()) <= openBefore)
  clearInterval(sending)
  for (const socket of sockets) socket.destroy()
})
