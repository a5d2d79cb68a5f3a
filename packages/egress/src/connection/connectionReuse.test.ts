import type { Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { makeCertificate } from "@sitewire/receiver"
import { expect, onTestFinished, test, vi } from "vitest"
import { localEgress, OK, onRequest, partner, post, respond } from "../../test/fixtures/rawServer.ts"

test("calls beyond the bound of an origin wait in order, and whoever times out waiting is withdrawn", async () => {
  const answers: (() => void)[] = []
  let connections = 0
  const { url } = await partner((socket) => {
    connections++
    onRequest((s) => answers.push(() => s.write(OK)))(socket)
  })
  const egress = localEgress({ connectionsPerOrigin: 1 })
  const first = egress.request(post(url, { timeoutMs: 5_000 }))
  const impatient = egress.request(post(url, { timeoutMs: 100 }))
  const third = egress.request(post(url, { timeoutMs: 5_000 }))
  expect(await impatient).toMatchObject({ kind: "failed", error: "timeout" })
  expect(answers.length).toBe(1)
  answers.shift()?.()
  expect(await first).toMatchObject({ kind: "answered" })
  await vi.waitFor(() => expect(answers.length).toBe(1))
  answers.shift()?.()
  const outcome = await third
  expect(outcome).toMatchObject({ kind: "answered" })
  expect(outcome.timing.waitedMs).toBeGreaterThan(50)
  expect(connections).toBe(1)
})

test("a call that waits gets a new connection when the one before it is lost or not kept", async () => {
  let connections = 0
  const { url } = await partner((socket) => {
    const number = ++connections
    onRequest((s) => {
      if (number === 1) s.resetAndDestroy()
      else s.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
    })(socket)
  })
  const egress = localEgress({ connectionsPerOrigin: 1 })
  const outcomes = await Promise.all([1, 2, 3].map(() => egress.request(post(url))))
  expect(outcomes.map((outcome) => outcome.kind)).toEqual(["failed", "answered", "answered"])
  expect(connections).toBe(3)
  await vi.waitFor(() => expect(egress.counts()).toEqual({ origins: 0, open: 0, idle: 0 }))
})

test("a repeatable request survives that the partner closes its kept connection just then; another is a reset", async () => {
  const requests = { count: 0 }
  const { url, sockets } = await partner((socket) => {
    onRequest(() => {
      requests.count++
      socket.write(OK)
    })(socket)
  })
  const egress = localEgress()
  for (const [repeatable, expected] of [
    [true, { kind: "answered", status: 200 }],
    [false, { kind: "failed", error: "reset" }],
  ] as const) {
    expect(await egress.request(post(url, { repeatable }))).toMatchObject({ kind: "answered" })
    expect(egress.counts().idle).toBe(1)
    for (const socket of sockets) socket.end()
    expect(await egress.request(post(url, { repeatable }))).toMatchObject(expected)
    await vi.waitFor(() => expect(egress.counts().open - egress.counts().idle).toBe(0))
  }
})

test("a connection that the partner closed earlier is replaced unnoticed", async () => {
  const { url, sockets } = await partner(respond(OK))
  const egress = localEgress()
  await egress.request(post(url))
  for (const socket of sockets) socket.end()
  await vi.waitFor(() => expect(egress.counts().open).toBe(0))
  expect(await egress.request(post(url))).toMatchObject({ kind: "answered", status: 200 })
})

test("an idle connection on which something comes is closed, and empty lines instead of an answer are not read on", async () => {
  const { url, sockets } = await partner(respond(OK))
  const egress = localEgress()
  await egress.request(post(url))
  for (const socket of sockets) socket.write("\r\n\r\n")
  await vi.waitFor(() => expect(egress.counts().open).toBe(0))

  let written = 0
  const floods = await partner(
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
  // What the kernel's buffers take is written and not read.
  expect(written).toBeLessThan(32_000_000)
  expect(egress.counts().open).toBe(0)
})

test("a connection whose request was answered before it was written to its end is not kept", async () => {
  const { url } = await partner((socket) => {
    socket.once("data", () => {
      socket.pause()
      socket.write("HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n")
    })
  })
  const egress = localEgress()
  const body = Buffer.alloc(16 * 1_024 * 1_024)
  expect(await egress.request(post(url, { body }))).toMatchObject({ kind: "answered", status: 413 })
  await vi.waitFor(() => expect(egress.counts().open).toBe(0))
})

test("a TLS session is resumed only while the certificate that it spares checking is valid", async () => {
  const { key, cert } = makeCertificate("DNS:partner.test", 2)
  const resumed: boolean[] = []
  const closing = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
  const server = createTlsServer({ key, cert }, (socket) => {
    if ("isSessionReused" in socket) resumed.push(socket.isSessionReused())
    respond(closing)(socket)
  })
  const { port } = await partner(() => {}, server)
  const egress = localEgress({ ca: cert, lookup: async () => ["127.0.0.1"] })
  const call = async () => {
    expect(await egress.request(post(`https://partner.test:${port}/`))).toMatchObject({ status: 200 })
    await vi.waitFor(() => expect(egress.counts().open).toBe(0))
  }
  await call()
  await call()
  await call()
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 86_400_000 })
  onTestFinished(() => void vi.useRealTimers())
  await call()
  expect(resumed).toEqual([false, true, true, false])
})

test("a partner that resets every request gets a repeatable one at most twice, however many connections are kept", async () => {
  const held: Socket[] = []
  let resets = 0
  const { url } = await partner(
    onRequest((socket) => {
      if (held.push(socket) === 4) for (const each of held) each.write(OK)
      if (held.length <= 4) return
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
