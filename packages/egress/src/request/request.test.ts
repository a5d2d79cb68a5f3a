import { spawn } from "node:child_process"
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { connect, createServer as createTcpServer, type Socket } from "node:net"
import { pipeline } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { createServer as createTlsServer, type SecureVersion } from "node:tls"
import { fileURLToPath } from "node:url"
import { makeCertificate, startFaultyReceiver } from "@sitewire/cli/receivers"
import { expect, onTestFinished, test } from "vitest"
import { localEgress, post, TIMEOUT_MS } from "../../test/fixtures/localEgress.ts"
import { OK, onRequest, respondWith, startServer } from "../../test/fixtures/rawServer.ts"
import { soon } from "../../test/fixtures/soon.ts"
import type { Egress } from "../createEgress.ts"

test("a request arrives byte for byte, and its outcome has the IP address, headers, excerpt and times", async () => {
  let received = ""
  const { url, port } = await startServer(
    onRequest((socket, request) => {
      received = request
      socket.write("HTTP/1.1 201 Created\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 5\r\n\r\nhello")
    }),
  )
  const outcome = await localEgress().request(post(url))
  expect(outcome).toMatchObject({
    kind: "responded",
    status: 201,
    headers: { "x-a": "1, 2", "content-length": "5" },
    ip: "127.0.0.1",
  })
  if (outcome.kind !== "responded") return
  expect(outcome.excerpt.received().toString()).toBe("hello")
  expect(outcome.timing.connectMs).toBeGreaterThan(0)
  expect(outcome.timing.firstByteMs).toBeGreaterThan(0)
  expect(outcome.timing.tlsMs).toBeUndefined()
  expect(outcome.timing.lookupMs).toBeUndefined()
  expect(outcome.timing.totalMs).toBeGreaterThanOrEqual(
    (outcome.timing.connectMs ?? 0) + (outcome.timing.firstByteMs ?? 0),
  )
  expect(received).toBe(
    `POST /hook/secret-path?key=secret-query HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: keep-alive\r\n` +
      'user-agent: sitewire-test\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n{"a":1}',
  )
})

test("204 is a response, and its connection is reused", async () => {
  let connections = 0
  const { url } = await startServer((socket) => {
    connections++
    respondWith("HTTP/1.1 204 No Content\r\n\r\n")(socket)
  })
  const egress = localEgress()
  expect(await egress.request(post(url))).toMatchObject({ status: 204 })
  const second = await egress.request(post(url))
  expect(second).toMatchObject({ status: 204, ip: "127.0.0.1" })
  expect(second.timing.connectMs).toBeUndefined()
  expect(connections).toBe(1)
})

test.each([206, 226, 299])("status %i is returned unchanged", async (status) => {
  const { url } = await startServer(respondWith(`HTTP/1.1 ${status} Fine\r\ncontent-length: 2\r\n\r\nok`))
  expect(await localEgress().request(post(url))).toMatchObject({ kind: "responded", status })
})

test.each(["100 Continue", "102 Processing", "103 Early Hints"])(
  "%s is skipped: the response that follows counts, and without one the call times out",
  async (line) => {
    const hint = `HTTP/1.1 ${line}\r\nlink: </a>\r\n\r\n`
    const responding = await startServer(respondWith(hint + hint + OK))
    const egress = localEgress()
    const outcome = await egress.request(post(responding.url))
    expect(outcome).toMatchObject({ kind: "responded", status: 200 })
    expect(outcome.kind === "responded" && outcome.headers).toEqual({ "content-length": "2" })
    expect(egress.counts()).toEqual({ origins: 1, open: 1, idle: 1 })

    const hinting = await startServer(respondWith(hint))
    expect(await egress.request(post(hinting.url, { timeoutMs: TIMEOUT_MS }))).toMatchObject({
      kind: "failed",
      error: "timeout",
    })
  },
)

test.each<[string, string, (socket: Socket) => void]>([
  ["closes at once", "reset", (socket) => socket.resume().end()],
  ["closes within the status line", "reset", onRequest((socket) => socket.end("HTTP/1.1 20"))],
  ["closes within the head of a 500", "reset", onRequest((socket) => socket.end("HTTP/1.1 500 No\r\nx: y"))],
  ["closes after a 1xx", "reset", onRequest((socket) => socket.end("HTTP/1.1 103 Hint\r\n\r\n"))],
  [
    "upgrades unasked",
    "protocol",
    respondWith("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
  ],
])("a partner that %s results in %s, and its socket is closed", async (_, error, behave) => {
  const { url, sockets } = await startServer(behave)
  const egress = localEgress()
  const outcome = await egress.request(post(url))
  expect(outcome).toMatchObject({ kind: "failed", error, ip: "127.0.0.1" })
  expect(JSON.stringify(outcome)).not.toContain("secret")
  expect(egress.counts().open).toBe(0)
  await soon(() => expect(sockets.size).toBe(0))
})

test.each<[string, string, (socket: Socket) => void]>([
  ["a header of 20 kB", `x: ${"y".repeat(20_000)}\r\n\r\n`, ignore],
  ["3,000 headers", `${"abcd: efgh\r\n".repeat(3_000)}\r\n`, ignore],
  ["an invalid header", "x y\r\n\r\n", ignore],
  ["two different content-lengths", "content-length: 1\r\ncontent-length: 2\r\n\r\nab", ignore],
  ["a head that ends the connection", "x: y", (socket) => socket.end()],
  ["a head that is reset", "x: y", (socket) => setTimeout(() => socket.resetAndDestroy(), 50)],
  ["a head without end", "x: y", ignore],
  ["a body in invalid chunks", "transfer-encoding: chunked\r\n\r\nno chunk", ignore],
  ["a body that is too short", "content-length: 9\r\n\r\na", (socket) => socket.end()],
])("a 2xx status line counts although %s follows, and the connection is closed", async (_, rest, then) => {
  const { url, sockets } = await startServer(
    onRequest((socket) => {
      socket.write(`HTTP/1.1 201 Created\r\n${rest}`)
      then(socket)
    }),
  )
  const egress = localEgress()
  const outcome = await egress.request(post(url, { timeoutMs: rest === "x: y" ? TIMEOUT_MS : 60_000 }))
  expect(outcome).toMatchObject({ kind: "responded", status: 201, ip: "127.0.0.1" })
  await soon(() => expect(egress.counts().open).toBe(0))
  await soon(() => expect(sockets.size).toBe(0))
})

test("the status line of the request before on the same connection does not count", async () => {
  let requests = 0
  const { url } = await startServer(
    onRequest((socket) => (++requests === 1 ? socket.write(OK) : socket.end())),
  )
  const egress = localEgress()
  expect(await egress.request(post(url))).toMatchObject({ kind: "responded" })
  expect(await egress.request(post(url))).toMatchObject({ kind: "failed", error: "reset" })
})

test("a refused connection results in connect", async () => {
  const server = createTcpServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" ? address?.port : 0
  server.close()
  await once(server, "close")
  const outcome = await localEgress().request(post(`http://127.0.0.1:${port}/hook`))
  expect(outcome).toMatchObject({ kind: "failed", error: "connect", ip: "127.0.0.1" })
  expect(outcome.kind === "failed" && outcome.message).toMatch(/ECONNREFUSED/)
})

test("a call without a free file descriptor rejects as a local error, not as a failure of the partner", async () => {
  const { url } = await startServer(respondWith(OK))
  const script = fileURLToPath(new URL("../../test/fixtures/exhaustFileDescriptors.ts", import.meta.url))
  const child = spawn("sh", ["-c", `ulimit -n 100; exec "${process.execPath}" "${script}" "${url}"`], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  })
  const [outcome] = await once(child, "message")
  expect(outcome).toMatch(/^LocalResourceError: no connection could be opened \(EMFILE\)/)
  await once(child, "exit")
})

test("a name that cannot be resolved results in dns, and a lookup that takes too long in timeout", async () => {
  const fails = localEgress({
    lookup: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
  })
  const outcome = await fails.request(post("https://gone.example/secret"))
  expect(outcome).toMatchObject({ kind: "failed", error: "dns" })
  expect(outcome.kind === "failed" && outcome.message).toBe(
    "the name gone.example could not be resolved (ENOTFOUND)",
  )
  const hangs = localEgress({ lookup: () => new Promise(() => {}) })
  expect(await hangs.request(post("https://slow.example/", { timeoutMs: TIMEOUT_MS }))).toMatchObject({
    kind: "failed",
    error: "timeout",
  })
})

test("a name with one blocked address among its addresses is not called", async () => {
  let connections = 0
  const { port } = await startServer(() => connections++)
  const egress = localEgress({ lookup: async () => ["127.0.0.1", "10.0.0.1"] })
  const outcome = await egress.request(post(`http://partner.test:${port}/`))
  expect(outcome).toMatchObject({ kind: "failed", error: "blocked-address" })
  expect(outcome.kind === "failed" && outcome.message).toContain("10.0.0.1 (private)")
  expect(connections).toBe(0)
})

test("a name is looked up and vetted at each call, also if a connection is open", async () => {
  const { port } = await startServer(respondWith(OK))
  const lookups = [["127.0.0.1"], ["127.0.0.1"], ["169.254.169.254"]]
  const egress = localEgress({ lookup: async () => lookups.shift() ?? [] })
  const call = () => egress.request(post(`http://partner.test:${port}/`))
  expect((await call()).timing.connectMs).toBeDefined()
  expect((await call()).timing.connectMs).toBeUndefined()
  expect(egress.counts().idle).toBe(1)
  expect(await call()).toMatchObject({ kind: "failed", error: "blocked-address" })
})

test("a connection to an address that the name no longer has is not reused", async () => {
  const { port } = await startServer(respondWith(OK))
  const lookups = [["127.0.0.1"], ["127.0.0.2"]]
  const egress = localEgress({ lookup: async () => lookups.shift() ?? [] })
  const call = () => egress.request(post(`http://partner.test:${port}/`))
  expect(await call()).toMatchObject({ kind: "responded", ip: "127.0.0.1" })
  // Nothing listens on the second address, so a response could only come over the old connection.
  expect(await call()).toMatchObject({ kind: "failed", error: "connect" })
})

test("if the first of several vetted addresses refuses the connection, the next is tried", async () => {
  const { port } = await startServer(respondWith(OK))
  const egress = localEgress({ lookup: async () => ["127.0.0.2", "127.0.0.1"] })
  expect(await egress.request(post(`http://partner.test:${port}/`))).toMatchObject({
    kind: "responded",
    ip: "127.0.0.1",
  })
})

test("a URL that the policy rejects is blocked without a lookup", async () => {
  const egress = localEgress({ allow: [], lookup: () => Promise.reject(new Error("must not be called")) })
  for (const url of [
    "http://127.0.0.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://0x7f.1/",
    "https://a:b@partner.example/",
  ]) {
    expect(await egress.request(post(url)), url).toMatchObject({ kind: "failed", error: "blocked-address" })
  }
  const tlsOnly = localEgress({ allowHttp: false })
  expect(await tlsOnly.request(post("http://127.0.0.1/"))).toMatchObject({ error: "blocked-address" })
})

test("the certificate must match the name, and the TLS time is recorded for the connection's first request", async () => {
  const { key, cert } = makeCertificate("DNS:partner.test")
  const names: unknown[] = []
  const server = createTlsServer({ key, cert }, (socket) => {
    names.push("servername" in socket ? socket.servername : undefined)
    respondWith(OK)(socket)
  })
  const { port } = await startServer(() => {}, server)
  const lookup = async () => ["127.0.0.1"]
  const certificates: unknown[] = []
  const onCertificate = (origin: string, expiresAt: Date) => certificates.push([origin, expiresAt.getTime()])
  const egress = localEgress({ ca: cert, lookup, onCertificate })
  const url = `https://partner.test:${port}/`
  const first = await egress.request(post(url))
  expect(first).toMatchObject({ kind: "responded", status: 200 })
  expect(first.timing.tlsMs).toBeGreaterThan(0)
  expect(first.timing.lookupMs).toBeGreaterThanOrEqual(0)
  expect((await egress.request(post(url))).timing.tlsMs).toBeUndefined()
  expect(names).toEqual(["partner.test"])
  const expiresAt = Date.parse(new X509Certificate(cert).validTo)
  expect(certificates).toEqual([[`https://partner.test:${port}`, expiresAt]])

  const twoAddresses = localEgress({ ca: cert, lookup: async () => ["127.0.0.2", "127.0.0.1"] })
  expect(await twoAddresses.request(post(url))).toMatchObject({ kind: "responded", ip: "127.0.0.1" })

  const wrongName = await egress.request(post(`https://other.test:${port}/`))
  expect(wrongName).toMatchObject({ kind: "failed", error: "tls", ip: "127.0.0.1" })
  expect(wrongName.kind === "failed" && wrongName.message).toContain("another name")
  const byAddress = await egress.request(post(`https://127.0.0.1:${port}/`))
  expect(byAddress).toMatchObject({ kind: "failed", error: "tls" })
  const selfSigned = await localEgress({ lookup }).request(post(url))
  expect(selfSigned).toMatchObject({ kind: "failed", error: "tls" })
  expect(selfSigned.kind === "failed" && selfSigned.message).toContain("self-signed")
})

test("an old TLS version and a server without TLS result in tls", async () => {
  const current = makeCertificate("DNS:partner.test")
  const lookup = async () => ["127.0.0.1"]
  const servers = [
    {
      ca: current.cert,
      server: createTlsServer({
        ...current,
        maxVersion: "TLSv1.1",
        minVersion: "TLSv1",
        ciphers: "ALL:@SECLEVEL=0",
      }),
      advice: "TLS 1.2",
    },
    { ca: current.cert, server: createTcpServer(), advice: "does not speak TLS" },
  ]
  for (const { ca, server, advice } of servers) {
    const { port } = await startServer((socket) => socket.on("data", () => socket.end(OK)), server)
    const outcome = await localEgress({ ca, lookup }).request(post(`https://partner.test:${port}/`))
    expect(outcome, advice).toMatchObject({ kind: "failed", error: "tls" })
    expect(outcome.kind === "failed" && outcome.message).toContain(advice)
  }
})

test("a handshake that never ends times out and leaves no socket", async () => {
  const { port, sockets } = await startServer((socket) => socket.resume())
  const outcome = await localEgress().request(post(`https://127.0.0.1:${port}/`, { timeoutMs: TIMEOUT_MS }))
  expect(outcome).toMatchObject({ kind: "failed", error: "timeout" })
  expect(outcome.kind === "failed" && outcome.message).toContain("TLS handshake")
  await soon(() => expect(sockets.size).toBe(0))
})

function ignore(): void {}

/** Shorter than `TIMEOUT_MS`; twice this time is longer. */
const LATE_MS = 300
const respondLate = onRequest((socket) => void setTimeout(() => socket.write(OK), LATE_MS))

/**
 * A step before the request takes `beforeMs` and the response `LATE_MS`: each less than the limit, together
 * more.
 */
async function expectOneLimit(egress: Egress, url: string, beforeMs: number, timeoutMs: number) {
  // A limit that started after that step could not end before this. Raced instead of measured: if the machine
  // stalls, both timers are late, but in the same order.
  const tooLate = sleep(beforeMs + timeoutMs, "too late")
  const outcome = await Promise.race([egress.request(post(url, { timeoutMs })), tooLate])
  expect(outcome).toMatchObject({ kind: "failed", error: "timeout" })
  // With a longer limit the call succeeds.
  const patient = post(url, { timeoutMs: 10_000 })
  expect(await egress.request(patient)).toMatchObject({ kind: "responded", status: 200 })
}

test("a response may have 200 headers, but not thousands, however short", async () => {
  const head = (headers: number) => `HTTP/1.1 200 OK\r\ncontent-length: 0\r\n${"a:\r\n".repeat(headers)}`
  const many = await startServer(respondWith(`${head(200)}\r\n`))
  expect(await localEgress().request(post(many.url))).toMatchObject({ kind: "responded", status: 200 })
  // Without an end, so that nothing but the limit ends it.
  const tooMany = await startServer(respondWith(head(16_000).replace("200 OK", "500 Failed")))
  const failed = await localEgress().request(post(tooMany.url))
  expect(failed).toMatchObject({ kind: "failed", error: "protocol" })
  expect(failed).toHaveProperty("message", expect.stringContaining("its headers are too large"))
})

test("a server that offers only DHE is not called, because it chooses how long the exchange takes", async () => {
  const { cert, key } = makeCertificate("DNS:partner.test")
  const dhe = { ciphers: "DHE-RSA-AES128-GCM-SHA256", dhparam: "auto", maxVersion: "TLSv1.2" } as const
  const server = createTlsServer({ cert, key, ...dhe }, respondWith(OK))
  const { port } = await startServer(() => {}, server)
  const egress = localEgress({ ca: cert, lookup: async () => ["127.0.0.1"] })
  const outcome = await egress.request(post(`https://partner.test:${port}/`))
  expect(outcome).toMatchObject({ kind: "failed", error: "tls" })
})

test("the lookup counts towards the time limit", async () => {
  const { port } = await startServer(respondLate)
  const egress = localEgress({ lookup: () => sleep(LATE_MS, ["127.0.0.1"]) })
  await expectOneLimit(egress, `http://partner.test:${port}/`, LATE_MS, TIMEOUT_MS)
})

test("the wait for a connection counts towards the time limit", async () => {
  const { url } = await startServer(respondLate)
  const egress = localEgress({ connectionsPerOrigin: 1 })
  const before = egress.request(post(url, { timeoutMs: 10_000 }))
  await expectOneLimit(egress, url, LATE_MS, TIMEOUT_MS)
  expect(await before).toMatchObject({ kind: "responded", status: 200 })
})

test("connecting counts towards the time limit", async () => {
  const { port, close } = await startFaultyReceiver("never-accepts")
  onTestFinished(close)
  await startServer(respondLate, createTcpServer(), { host: "127.0.0.2", port })
  const egress = localEgress({ lookup: async () => ["127.0.0.1", "127.0.0.2"] })
  // The second address is tried when the first has not accepted for this long.
  const connectMs = 500
  await expectOneLimit(egress, `http://partner.test:${port}/`, connectMs, connectMs + LATE_MS - 100)
})

test("the TLS handshake counts towards the time limit", async () => {
  const { key, cert } = makeCertificate("DNS:partner.test")
  const { port } = await startServer(() => {}, createTlsServer({ key, cert }, respondLate))
  const slow = await startServer((socket) => {
    // Delays the first bytes, which begin the handshake.
    setTimeout(() => pipeline(socket, connect(port, "127.0.0.1"), socket, () => {}), LATE_MS)
  })
  const egress = localEgress({ ca: cert, lookup: async () => ["127.0.0.1"] })
  await expectOneLimit(egress, `https://partner.test:${slow.port}/`, LATE_MS, TIMEOUT_MS)
})

test.each<["http" | "https", SecureVersion?]>([["http"], ["https", "TLSv1.2"], ["https", "TLSv1.3"]])(
  "if beforeWrite returns false over %s %s, the connection is opened but no byte of the request is sent",
  async (scheme, maxVersion) => {
    const { key, cert } = makeCertificate("DNS:partner.test")
    let bytes = 0
    const onConnection = (socket: Socket) => {
      socket.on("data", (chunk) => {
        bytes += chunk.length
      })
    }
    const { port, sockets } =
      scheme === "https"
        ? await startServer(
            () => {},
            createTlsServer({ key, cert, ...(maxVersion && { maxVersion }) }, onConnection),
          )
        : await startServer(onConnection)
    const egress = localEgress({ ca: cert, lookup: async () => ["127.0.0.1"] })
    let calls = 0
    const outcome = await egress.request(
      post(`${scheme}://partner.test:${port}/`, {
        repeatable: true,
        beforeWrite: () => {
          calls++
          return false
        },
      }),
    )
    expect(outcome.kind).toBe("aborted")
    expect(outcome.timing.connectMs).toBeGreaterThan(0)
    expect(outcome.timing.tlsMs !== undefined).toBe(scheme === "https")
    expect(calls).toBe(1)
    await soon(() => expect(sockets.size).toBe(0))
    expect(bytes).toBe(0)
    expect(egress.counts()).toEqual({ origins: 0, open: 0, idle: 0 })
  },
)

test("beforeWrite is called again before a repetition, and false ends the call as reset", async () => {
  let requests = 0
  const { url, sockets } = await startServer(
    onRequest((socket) => {
      requests++
      socket.write(OK)
    }),
  )
  const egress = localEgress()
  for (const [decisions, expected] of [
    [[true, true], { kind: "responded" }],
    [[true, false], { kind: "failed", error: "reset" }],
  ] as const) {
    expect(await egress.request(post(url))).toMatchObject({ kind: "responded" })
    const before = requests
    for (const socket of sockets) socket.end()
    const remaining: boolean[] = [...decisions]
    const beforeWrite = () => remaining.shift() ?? false
    expect(await egress.request(post(url, { repeatable: true, beforeWrite }))).toMatchObject(expected)
    expect(remaining).toEqual([])
    // The first request is still written: only the server has closed its side.
    expect(requests - before).toBe(expected.kind === "responded" ? 2 : 1)
  }
})

test("a signal aborts its call in any phase, and close() aborts all calls", async () => {
  const { url, sockets } = await startServer((socket) => socket.resume())
  const egress = localEgress({ lookup: () => new Promise(() => {}) })
  const controller = new AbortController()
  const { signal } = controller
  const calls = [url, "https://slow.example/"].map((each) => egress.request(post(each, { signal })))
  await soon(() => expect(sockets.size).toBe(1))
  controller.abort()
  for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ kind: "aborted" })
  await soon(() => expect(sockets.size).toBe(0))

  const last = egress.request(post(url))
  await soon(() => expect(sockets.size).toBe(1))
  await egress.close()
  expect(await last).toMatchObject({ kind: "aborted" })
  await soon(() => expect(sockets.size).toBe(0))
  await expect(egress.request(post(url))).rejects.toThrow(/closed/)
})

test("a header with a line break, or a host header, rejects and nothing is sent", async () => {
  const { url, sockets } = await startServer(() => {})
  const egress = localEgress()
  await expect(egress.request(post(url, { headers: { a: "b\r\nc: d" } }))).rejects.toThrow(/header/)
  await expect(egress.request(post(url, { headers: { Host: "other.example" } }))).rejects.toThrow(/host/)
  expect(egress.counts()).toEqual({ origins: 0, open: 0, idle: 0 })
  expect(sockets.size).toBe(0)
})
