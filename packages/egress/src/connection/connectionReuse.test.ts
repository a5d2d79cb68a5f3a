import type { Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { makeCertificate } from "@sitewire/cli/receivers"
import { expect, onTestFinished, test, vi } from "vitest"
import { localEgress, post } from "../../test/fixtures/localEgress.ts"
import { OK, onRequest, respondWith, startServer } from "../../test/fixtures/rawServer.ts"
import { soon } from "../../test/fixtures/soon.ts"
import { startServerInThread } from "../../test/fixtures/startServerInThread.ts"
import { createTls13Server, largeTickets } from "../../test/fixtures/tlsRecords.ts"

test("calls beyond connectionsPerOrigin wait in order, and one that times out leaves the queue", async () => {
  const responses: (() => void)[] = []
  let connections = 0
  const { url } = await startServer((socket) => {
    connections++
    onRequest((s) => responses.push(() => s.write(OK)))(socket)
  })
  const egress = localEgress({ connectionsPerOrigin: 1 })
  const first = egress.request(post(url, { timeoutMs: 30_000 }))
  await soon(() => expect(responses.length).toBe(1))
  const timesOut = egress.request(post(url, { timeoutMs: 100 }))
  const third = egress.request(post(url, { timeoutMs: 30_000 }))
  expect(await timesOut).toMatchObject({ kind: "failed", error: "timeout" })
  expect(responses.length).toBe(1)
  responses.shift()?.()
  expect(await first).toMatchObject({ kind: "responded" })
  await soon(() => expect(responses.length).toBe(1))
  responses.shift()?.()
  const outcome = await third
  expect(outcome).toMatchObject({ kind: "responded" })
  expect(outcome.timing.waitedMs).toBeGreaterThan(50)
  expect(connections).toBe(1)
})

test("a waiting call gets a new connection if the previous one is lost or closed", async () => {
  let connections = 0
  const { url } = await startServer((socket) => {
    const number = ++connections
    onRequest((s) => {
      if (number === 1) s.resetAndDestroy()
      else s.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
    })(socket)
  })
  const egress = localEgress({ connectionsPerOrigin: 1 })
  const outcomes = await Promise.all([1, 2, 3].map(() => egress.request(post(url))))
  expect(outcomes.map((outcome) => outcome.kind)).toEqual(["failed", "responded", "responded"])
  expect(connections).toBe(3)
  await soon(() => expect(egress.counts()).toEqual({ origins: 0, open: 0, idle: 0 }))
})

test("if the partner closes the reused connection, a repeatable request succeeds and another results in reset", async () => {
  const requests = { count: 0 }
  const { url, sockets } = await startServer((socket) => {
    onRequest(() => {
      requests.count++
      socket.write(OK)
    })(socket)
  })
  const egress = localEgress()
  for (const [repeatable, expected] of [
    [true, { kind: "responded", status: 200 }],
    [false, { kind: "failed", error: "reset" }],
  ] as const) {
    expect(await egress.request(post(url, { repeatable }))).toMatchObject({ kind: "responded" })
    expect(egress.counts().idle).toBe(1)
    for (const socket of sockets) socket.end()
    expect(await egress.request(post(url, { repeatable }))).toMatchObject(expected)
    await soon(() => expect(egress.counts().open - egress.counts().idle).toBe(0))
  }
})

test("a 408 on a reused connection is about its idleness: a repeatable request is sent once more, on a new connection", async () => {
  let requests = 0
  const late = "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
  const { url } = await startServer((socket) => {
    let isReused = false
    onRequest(() => {
      requests++
      if (isReused) socket.end(late)
      else socket.write(OK)
      isReused = true
    })(socket)
  })
  const egress = localEgress()
  expect(await egress.request(post(url))).toMatchObject({ status: 200 })
  const repeated = await egress.request(post(url, { repeatable: true }))
  expect(repeated).toMatchObject({ status: 200, timing: { connectMs: expect.any(Number) } })
  expect(repeated.timing.firstByteMs).toBeGreaterThan(0)
  expect(requests).toBe(3)
  expect(await egress.request(post(url))).toMatchObject({ status: 408 })
  // On a new connection, it is the response to the request.
  const always = await startServer(respondWith(late))
  expect(await egress.request(post(always.url, { repeatable: true }))).toMatchObject({ status: 408 })
})

test("a call after the partner closed its connection succeeds over a new one", async () => {
  const { url, sockets } = await startServer(respondWith(OK))
  const egress = localEgress()
  await egress.request(post(url))
  for (const socket of sockets) socket.end()
  await soon(() => expect(egress.counts().open).toBe(0))
  expect(await egress.request(post(url))).toMatchObject({ kind: "responded", status: 200 })
})

test("an idle connection is closed a second before the time that the server states, and otherwise stays open", async () => {
  const states = OK.replace("\r\n", "\r\nKeep-Alive: timeout=2\r\n")
  const [stating, silent] = [await startServer(respondWith(states)), await startServer(respondWith(OK))]
  const egress = localEgress()
  await Promise.all([egress.request(post(stating.url)), egress.request(post(silent.url))])
  expect(egress.counts()).toMatchObject({ open: 2, idle: 2 })
  await soon(() => expect(egress.counts().idle).toBe(1))
  await egress.request(post(silent.url))
  expect(silent.sockets.size).toBe(1)
})

test("an idle connection that receives data is closed, and empty lines instead of a response are read only up to a limit", async () => {
  const { url, sockets } = await startServer(respondWith(OK))
  const egress = localEgress()
  await egress.request(post(url))
  for (const socket of sockets) socket.write("\r\n\r\n")
  await soon(() => expect(egress.counts().open).toBe(0))

  let written = 0
  const floods = await startServer(
    onRequest((socket) => {
      const lines = Buffer.from("\r\n".repeat(32_768))
      const write = () => {
        do written += lines.length
        while (!socket.destroyed && socket.write(lines))
      }
      socket.on("drain", write)
      write()
    }),
  )
  const outcome = await egress.request(post(floods.url, { timeoutMs: 10_000 }))
  expect(outcome).toMatchObject({ kind: "failed", error: "protocol" })
  // The kernel's buffers contain some bytes that are never read.
  expect(written).toBeLessThan(32_000_000)
  expect(egress.counts().open).toBe(0)
})

test("a connection is not reused if its response arrived before the request was fully written", async () => {
  const { url } = await startServer((socket) => {
    socket.once("data", () => {
      socket.pause()
      socket.write("HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n")
    })
  })
  const egress = localEgress()
  const body = Buffer.alloc(16 * 1_024 * 1_024)
  expect(await egress.request(post(url, { body }))).toMatchObject({ kind: "responded", status: 413 })
  await soon(() => expect(egress.counts().open).toBe(0))
})

test("connections over TLS are reused, also if responses arrive before the socket reports that the request is written", async () => {
  const { key, cert } = makeCertificate("DNS:*.partners.test")
  const port = await startServerInThread({ key, cert })
  const egress = localEgress({ ca: cert, lookup: async () => ["127.0.0.1"] })
  // Few enough that no connection is idle for a minute before the end, also on a busy machine.
  const partnerCount = 64
  async function callAll(): Promise<void> {
    const partners = Array.from(
      { length: partnerCount },
      (_, at) => `https://partner-${at}.partners.test:${port}/`,
    ).values()
    const worker = async () => {
      for (const url of partners) expect(await egress.request(post(url))).toMatchObject({ status: 200 })
    }
    await Promise.all(Array.from({ length: 32 }, worker))
  }
  for (let round = 0; round < 3; round++) await callAll()
  await soon(() => expect(egress.counts()).toMatchObject({ open: partnerCount, idle: partnerCount }))
})

test("a TLS session is resumed only while its certificate is valid", async () => {
  const { key, cert } = makeCertificate("DNS:partner.test", 2)
  const resumed: boolean[] = []
  const closing = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
  const server = createTlsServer({ key, cert }, (socket) => {
    if ("isSessionReused" in socket) resumed.push(socket.isSessionReused())
    respondWith(closing)(socket)
  })
  const { port } = await startServer(() => {}, server)
  const egress = localEgress({ ca: cert, lookup: async () => ["127.0.0.1"] })
  const call = async () => {
    expect(await egress.request(post(`https://partner.test:${port}/`))).toMatchObject({ status: 200 })
    await soon(() => expect(egress.counts().open).toBe(0))
  }
  await call()
  await call()
  await call()
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 86_400_000 })
  onTestFinished(() => void vi.useRealTimers())
  await call()
  expect(resumed).toEqual([false, true, true, false])
})

test("a partner that resets every request gets a repeatable one at most twice, however many connections are idle", async () => {
  const waiting: Socket[] = []
  let resets = 0
  const { url } = await startServer(
    onRequest((socket) => {
      if (waiting.push(socket) === 4) for (const each of waiting) each.write(OK)
      if (waiting.length <= 4) return
      resets++
      socket.resetAndDestroy()
    }),
  )
  const egress = localEgress()
  await Promise.all([1, 2, 3, 4].map(() => egress.request(post(url))))
  expect(egress.counts().idle).toBe(4)
  const outcome = await egress.request(post(url, { repeatable: true }))
  expect(outcome).toMatchObject({ kind: "failed", error: "reset" })
  expect(resets).toBe(2)
})

test("an idle connection whose server sends TLS without content is closed", async () => {
  const { key, cert } = makeCertificate("DNS:partner.test")
  const { server, secret } = createTls13Server({ key, cert })
  const { port, sockets } = await startServer(respondWith(OK), server)
  const egress = localEgress({ ca: cert, lookup: async () => ["127.0.0.1"] })
  await egress.request(post(`https://partner.test:${port}/`))
  expect(egress.counts().idle).toBe(1)
  // After two records with tickets, and one with the response.
  for (const socket of sockets) socket.write(largeTickets(secret(), 3, 4))
  await soon(() => expect(egress.counts().open).toBe(0))
})

test.each([
  ["of a head", "", 2],
  ["of a body", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na", 3],
])("TLS without content instead %s is read only up to a limit", async (_, begun, records) => {
  const { key, cert } = makeCertificate("DNS:partner.test")
  const { server, secret } = createTls13Server({ key, cert })
  const { port, sockets } = await startServer(
    onRequest((socket) => {
      if (begun !== "") socket.write(begun)
      setImmediate(() => sockets.forEach((tcp) => void tcp.write(largeTickets(secret(), records, 80))))
    }),
    server,
  )
  const egress = localEgress({ ca: cert, lookup: async () => ["127.0.0.1"] })
  const input = { url: `https://partner.test:${port}/`, headers: {}, deadlineMs: 10_000, maxBytes: 1_000 }
  const outcome = await egress.download({ ...input, onChunk() {} })
  const message = expect.stringContaining("more TLS than content")
  expect(outcome).toMatchObject({ kind: "failed", error: "protocol", message })
  expect(egress.counts().open).toBe(0)
})

test("a server cannot renegotiate TLS", async () => {
  const { key, cert } = makeCertificate("DNS:partner.test")
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  const server = createTlsServer({ key, cert, maxVersion: "TLSv1.2" }, (socket) => {
    respondWith(OK)(socket)
    socket.once("data", () => socket.renegotiate({}, () => end("renegotiated")))
    socket.on("error", (error) => end(error.message))
  })
  const { port } = await startServer(() => {}, server)
  const egress = localEgress({ ca: cert, lookup: async () => ["127.0.0.1"] })
  await egress.request(post(`https://partner.test:${port}/`))
  expect(await ended).toMatch(/no renegotiation/i)
})
