import { once } from "node:events"
import { connect } from "node:net"
import { openPool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase, freshTopics, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call, sendBytes } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { runGateway, type TestGateway } from "./fixtures/runGateway.ts"

let database: FreshDatabase
let topic: string
let running: TestGateway
let path: string

beforeAll(async () => {
  database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  path = (await addConnection(pool.sql, "floods")).path
  await pool.close()
  topic = (await freshTopics()).names.connectorTriggered
  running = await runGateway({ databaseUrl: database.url, topic })
})

afterAll(async () => {
  await running.close()
  await database.drop()
})

/** How many triggers were accepted, including those of callers that have disconnected. */
async function accepted(): Promise<number> {
  const waiting = () => running.metric("sitewire_triggers_waiting")
  await waitUntil("all waiting triggers to have an outcome", async () => (await waiting()) === 0)
  return running.metric('sitewire_triggers_total{outcome="accepted"')
}
const statusesOf = (text: string) =>
  [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))
const post = (rest = "\r\n") => `POST ${path} HTTP/1.1\r\nHost: shop.example\r\n${rest}`
const lastPost = () => post("Connection: close\r\n\r\n")
const chunked = "Transfer-Encoding: chunked\r\n"

test("requests with too large headers are rejected without an echo, their connections are closed, and others are served meanwhile", async () => {
  const secret = path.split("/")[4] ?? ""
  const floods: [number, string][] = [
    [431, post(`${`${secret.slice(0, 20)}: x\r\n`.repeat(400)}\r\n`)],
    [431, post(`${"x:\r\n".repeat(9_000)}\r\n`)],
    [431, post(`Authorization: ${secret.repeat(300)}\r\n\r\n`)],
    [431, `POST ${path}${secret.repeat(300)} HTTP/1.1\r\nHost: shop.example\r\n\r\n`],
    [431, post(`${chunked}\r\n0\r\n${`X: ${secret}\r\n`.repeat(2_000)}\r\n`)],
    [413, post(`${chunked}\r\n1;a="${secret.repeat(600)}"\r\nx\r\n0\r\n\r\n`)],
    [400, post(`${secret}\r\n\r\n`)],
  ]
  const before = await accepted()
  const rounds = 5
  for (let round = 0; round < rounds; round += 1) {
    const halfSent = Promise.withResolvers<void>()
    const flooding = floods.map(([, bytes]) =>
      sendBytes(running.gateway, bytes + lastPost(), {
        pauseAfter: post().length - 2,
        pause: halfSent.promise,
      }),
    )
    expect(await call(running.gateway + path)).toMatchObject({ status: 202 })
    halfSent.resolve()
    expect(await call(running.gateway + path)).toMatchObject({ status: 202 })
    for (const [index, { text, closed }] of (await Promise.all(flooding)).entries()) {
      expect({ closed, statuses: statusesOf(text) }).toEqual({ closed: true, statuses: [floods[index]?.[0]] })
      expect(text).not.toMatch(/swt_|hook/i)
      expect(text).not.toContain(secret)
    }
  }
  expect(await accepted()).toBe(before + 2 * rounds)
})

/** Sends an endless header slowly, until the gateway closes the connection. */
async function drip(origin: string): Promise<{ text: string; tookMs: number; reset: boolean }> {
  const { hostname, port } = new URL(origin)
  const startedAt = performance.now()
  const socket = connect(Number(port), hostname, () => socket.write(`POST ${path} HTTP/1.1\r\n`))
  let text = ""
  let reset = false
  socket.setEncoding("latin1").on("data", (chunk) => (text += chunk))
  socket.on("error", () => (reset = true))
  const drops = setInterval(() => socket.write("X: y\r\n"), 50)
  // `once` would reject at the error, which may come before the close.
  await new Promise((resolve) => socket.once("close", resolve))
  clearInterval(drops)
  return { text, tookMs: performance.now() - startedAt, reset }
}

test("an endless header is rejected at 8 KiB, or at its time-out if it comes slowly", async () => {
  const headersTimeoutMs = 300
  const impatient = await runGateway({ databaseUrl: database.url, topic, limits: { headersTimeoutMs } })
  let dripped = await drip(impatient.gateway)
  // Bytes that arrive after the close reset the connection, which can lose the response. Then try again.
  while (dripped.reset && dripped.text === "") dripped = await drip(impatient.gateway)
  await impatient.close()
  expect(dripped.text).toMatch(/^HTTP\/1\.1 408 [^\r]*\r\nConnection: close\r\nX-Request-Id: [^\r]*\r\n\r\n$/)
  expect(dripped.tookMs).toBeGreaterThanOrEqual(headersTimeoutMs)

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

test("no part of a rejected body is processed as a request", async () => {
  const large = "x".repeat(1_025)
  const rejected = [
    post(`Content-Length: 1025\r\n\r\n${large}`),
    post(`${chunked}\r\n401\r\n${large}\r\n0\r\n\r\n`),
    post(`Content-Length: 50000\r\n\r\n${post().repeat(300)}`),
  ]
  const before = await accepted()
  for (const bytes of rejected) {
    const { text, closed } = await sendBytes(running.gateway, post() + bytes)
    expect({ closed, statuses: statusesOf(text) }).toEqual({ closed: true, statuses: [202, 413] })
  }
  expect(await accepted()).toBe(before + rejected.length)
})

test("a request without a host gets 400", async () => {
  const { text, closed } = await sendBytes(running.gateway, `POST ${path} HTTP/1.1\r\n\r\n`)
  expect({ closed, statuses: statusesOf(text) }).toEqual({ closed: true, statuses: [400] })
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
  }
  const before = await accepted()
  for (const [name, bytes] of Object.entries(ambiguous)) {
    const { text, closed } = await sendBytes(running.gateway, bytes + post().repeat(3))
    expect({ name, closed, statuses: statusesOf(text) }).toEqual({ name, closed: true, statuses: [400] })
    expect(text).not.toMatch(/swt_|hook/i)
  }
  expect(await accepted()).toBe(before)
})

test("a request must have one host, or none in HTTP/1.0", async () => {
  for (const [status, version, hosts] of [
    [202, "1.0", []],
    [202, "1.1", ["a"]],
    [400, "1.1", []],
    [400, "1.1", ["a", "b"]],
    [400, "1.0", ["a", "b"]],
  ] as const) {
    const headers = [...hosts.map((host) => `Host: ${host}`), "Connection: close"].join("\r\n")
    const { text } = await sendBytes(running.gateway, `POST ${path} HTTP/${version}\r\n${headers}\r\n\r\n`)
    expect({ version, hosts, statuses: statusesOf(text) }).toEqual({ version, hosts, statuses: [status] })
  }
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
  const impatient = await runGateway({ databaseUrl: database.url, topic, limits: { inactivityMs: 500 } })
  const { hostname, port } = new URL(impatient.gateway)
  const bytes = "GET /elsewhere HTTP/1.1\r\nHost: a\r\n\r\n".repeat(50)
  const sockets = Array.from({ length: 6 }, () => {
    const socket = connect(Number(port), hostname).pause()
    socket.on("error", () => {})
    return socket
  })
  const sending = setInterval(() => {
    for (const socket of sockets) if (socket.writable && !socket.writableNeedDrain) socket.write(bytes)
  }, 10)
  await waitUntil(
    "all of them to be open",
    async () => (await impatient.openConnections()) === sockets.length,
  )
  await waitUntil("their responses to be stuck", () =>
    sockets.every((socket) => socket.writableNeedDrain || socket.destroyed),
  )
  await waitUntil("the gateway to close them", async () => (await impatient.openConnections()) === 0)
  clearInterval(sending)
  for (const socket of sockets) socket.destroy()
  await impatient.close()
})
