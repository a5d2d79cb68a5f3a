import type { Socket } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { localEgress } from "../../test/fixtures/localEgress.ts"
import { onRequest, startServer } from "../../test/fixtures/rawServer.ts"
import { soon } from "../../test/fixtures/soon.ts"
import type { DownloadInput } from "../createEgress.ts"

const MEBIBYTE = 1_048_576

function collect(
  url: string,
  more: Partial<DownloadInput> = {},
): { input: DownloadInput; body: () => Buffer } {
  const chunks: Buffer[] = []
  const onChunk = (chunk: Buffer) => void chunks.push(chunk)
  const input = { url, headers: {}, deadlineMs: 60_000, maxBytes: MEBIBYTE, onChunk, ...more }
  return { input, body: () => Buffer.concat(chunks) }
}

function respondWithBody(body: Buffer, headers = ""): (socket: Socket) => void {
  return onRequest((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${headers}\r\n`)
    socket.write(body)
  })
}

test("if beforeWrite returns false the download is aborted before it is sent, otherwise it completes", async () => {
  let requests = 0
  const { url } = await startServer((socket) => {
    socket.on("data", () => requests++)
    respondWithBody(plain)(socket)
  })
  const egress = localEgress()
  expect(await egress.download(collect(url, { beforeWrite: () => false }).input)).toMatchObject({
    kind: "aborted",
  })
  expect(requests).toBe(0)
  const { input, body } = collect(url, { beforeWrite: () => true })
  expect(await egress.download(input)).toMatchObject({ kind: "downloaded" })
  expect(body().equals(plain)).toBe(true)
})

function writeForEver(socket: Socket, chunk: Buffer): void {
  const flood = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on("drain", flood)
  flood()
}

const plain = Buffer.from("a source's records, again and again. ".repeat(10_000))

test.each([
  ["", plain],
  ["identity", plain],
  ["none", plain],
  ["gzip", gzipSync(plain)],
  ["x-gzip", gzipSync(plain)],
  ["deflate", deflateSync(plain)],
  ["deflate", deflateRawSync(plain)],
])("a body with encoding %j is decoded, and its connection is reused", async (encoding, encoded) => {
  const header = encoding === "" ? "" : `Content-Encoding: ${encoding}\r\n`
  const { url } = await startServer(respondWithBody(encoded, header))
  const egress = localEgress()
  const { input, body } = collect(url)
  const outcome = await egress.download(input)
  expect(outcome).toMatchObject({
    kind: "downloaded",
    status: 200,
    encodedBytes: encoded.length,
    decodedBytes: plain.length,
    ip: "127.0.0.1",
  })
  expect(body().equals(plain)).toBe(true)
  expect(egress.counts()).toEqual({ origins: 1, open: 1, idle: 1 })
})

test("brotli is not decoded, because a few bytes of it make the decoder fill megabytes, and the message says what to send", async () => {
  const body = brotliCompressSync(plain)
  const { url } = await startServer(respondWithBody(body, "content-encoding: br\r\n"))
  const { input, body: received } = collect(url)
  const outcome = await localEgress().download(input)
  const message = expect.stringMatching(/unsupported content-encoding: send gzip, deflate or identity/)
  expect(outcome).toMatchObject({ kind: "undecodable", message })
  expect(received().length).toBe(0)
})

test("conditional headers and accepted encodings are sent, and 304 is a response", async () => {
  let received = ""
  const { url } = await startServer(
    onRequest((socket, request) => {
      received = request
      socket.write('HTTP/1.1 304 Not Modified\r\netag: "a"\r\n\r\n')
    }),
  )
  const { input, body } = collect(url, { headers: { "if-none-match": '"a"' } })
  const outcome = await localEgress().download(input)
  expect(outcome).toMatchObject({ kind: "responded", status: 304, headers: { etag: '"a"' } })
  expect(received).toContain('if-none-match: "a"')
  expect(received).toContain("accept-encoding: gzip, deflate\r\n")
  expect(body().length).toBe(0)
})

test("an empty body is a response, also with content-encoding gzip", async () => {
  const { url } = await startServer(respondWithBody(Buffer.alloc(0), "content-encoding: gzip\r\n"))
  expect(await localEgress().download(collect(url).input)).toMatchObject({
    kind: "downloaded",
    decodedBytes: 0,
  })
})

test("only the body of a 200 or 203 is passed to onChunk", async () => {
  for (const status of [202, 206, 302, 404, 500]) {
    const { url } = await startServer(
      onRequest((socket) =>
        socket.write(`HTTP/1.1 ${status} No\r\nlocation: /\r\ncontent-length: 2\r\n\r\nno`),
      ),
    )
    const { input, body } = collect(url)
    expect(await localEgress().download(input)).toMatchObject({ kind: "responded", status })
    expect(body().length).toBe(0)
  }
})

test.each<[string, (socket: Socket) => void]>([
  [
    "declares too much",
    onRequest((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n")),
  ],
  [
    "never ends",
    onRequest((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n")
      writeForEver(socket, Buffer.alloc(65_536, "a"))
    }),
  ],
  ["is a gzip bomb", respondWithBody(gzipSync(Buffer.alloc(100 * MEBIBYTE)), "content-encoding: gzip\r\n")],
  [
    "is gzip without end that decodes to nothing",
    onRequest((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n")
      writeForEver(socket, Buffer.concat(Array<Buffer>(1_000).fill(gzipSync(""))))
    }),
  ],
])("a body that %s results in too-large within the limit and occupies no connection", async (_, behave) => {
  const { url } = await startServer(behave)
  const egress = localEgress()
  const { input, body } = collect(url)
  expect(await egress.download(input)).toMatchObject({
    kind: "too-large",
    status: 200,
    limitBytes: MEBIBYTE,
  })
  expect(body().length).toBeLessThanOrEqual(MEBIBYTE)
  const { open, idle } = egress.counts()
  expect(open - idle).toBe(0)
})

test.each<[string, string, (socket: Socket) => void]>([
  ["drips", "timeout", onRequest((socket) => drip(socket))],
  [
    "stops within its body",
    "timeout",
    onRequest((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na")),
  ],
  ["ends early", "reset", onRequest((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na"))],
  [
    "is reset",
    "reset",
    onRequest((socket) =>
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na", () => socket.resetAndDestroy()),
    ),
  ],
  [
    "is truncated gzip",
    "undecodable",
    respondWithBody(gzipSync(plain).subarray(0, 100), "content-encoding: gzip\r\n"),
  ],
  ["is not gzip", "undecodable", respondWithBody(plain, "content-encoding: gzip\r\n")],
  ["is encoded twice", "undecodable", respondWithBody(plain, "content-encoding: gzip, gzip\r\n")],
  ["has an unknown encoding", "undecodable", respondWithBody(plain, "content-encoding: zstd\r\n")],
])("a body that %s results in %s and occupies no connection", async (_, error, behave) => {
  const { url } = await startServer(behave)
  const egress = localEgress()
  const outcome = await egress.download(collect(url, error === "timeout" ? { deadlineMs: 300 } : {}).input)
  expect(outcome).toMatchObject({ ip: "127.0.0.1" })
  expect("error" in outcome ? outcome.error : outcome.kind).toBe(error)
  expect(JSON.stringify(outcome)).not.toContain("secret")
  const { open, idle } = egress.counts()
  expect(open - idle).toBe(0)
})

test("bytes after the end of the compressed data are ignored and occupy no connection", async () => {
  const packed = gzipSync(plain)
  const { url } = await startServer(
    onRequest((socket) => {
      const length = packed.length + 900_000
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${length}\r\n\r\n`)
      socket.write(Buffer.concat([packed, Buffer.alloc(100_000)]))
    }),
  )
  const egress = localEgress()
  const { input, body } = collect(url)
  expect(await egress.download(input)).toMatchObject({ kind: "downloaded", status: 200 })
  expect(body().equals(plain)).toBe(true)
  expect(egress.counts().open).toBe(0)
})

function drip(socket: Socket): void {
  socket.write("HTTP/1.1 200 OK\r\n\r\n")
  const timer = setInterval(() => socket.write("a"), 10)
  socket.on("close", () => clearInterval(timer))
}

test("a slow onChunk slows the socket and counts towards the deadline", async () => {
  let written = 0
  const { url } = await startServer(
    onRequest((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n")
      writeForEver(socket, Buffer.alloc(65_536, "a"))
      socket.on("close", () => {
        written = socket.bytesWritten
      })
    }),
  )
  let passedBytes = 0
  const stuck = collect(url, {
    deadlineMs: 200,
    maxBytes: 1_000 * MEBIBYTE,
    onChunk: (chunk) => {
      passedBytes += chunk.length
      return new Promise(() => {})
    },
  })
  expect(await localEgress().download(stuck.input)).toMatchObject({ kind: "failed", error: "timeout" })
  expect(passedBytes).toBeLessThanOrEqual(128 * 1_024)
  // The kernel's buffers. Without backpressure it would be hundreds of MiB in this time.
  await soon(() => expect(written).toBeGreaterThan(0))
  expect(written).toBeLessThan(32 * MEBIBYTE)

  const small = await startServer(respondWithBody(Buffer.from("all of it")))
  const late = collect(small.url, { deadlineMs: 200, onChunk: () => new Promise(() => {}) })
  expect(await localEgress().download(late.input)).toMatchObject({ kind: "failed", error: "timeout" })
})

test("tiny chunks with large extensions keep no large buffers in memory", async () => {
  const pieces = 200
  const chunk = `1;${"x".repeat(70_000)}\r\na\r\n`
  const { url } = await startServer(
    onRequest((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
      for (let piece = 0; piece < pieces; piece++) socket.write(chunk)
      socket.write("0\r\n\r\n")
    }),
  )
  const buffers = new Set<ArrayBufferLike>()
  const { input } = collect(url, { onChunk: (piece) => void buffers.add(piece.buffer) })
  expect(await localEgress().download(input)).toMatchObject({ kind: "downloaded", decodedBytes: pieces })
  const kept = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)
  expect(kept).toBeLessThan(MEBIBYTE)
})

test("bytes that arrive as chunks of their own take little memory while onChunk is busy", async () => {
  const [downloads, bytes] = [20, 60_000]
  let sent = 0
  const { url } = await startServer(
    onRequest((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
      socket.write(`${"1\r\na\r\n".repeat(bytes)}0\r\n\r\n`, () => void sent++)
    }),
  )
  setFlagsFromString("--expose-gc")
  const usedMb = () => {
    runInNewContext("gc")()
    return process.memoryUsage().heapUsed / 1e6
  }
  const usedBefore = usedMb()
  const { promise: measured, resolve: goOn } = Promise.withResolvers<void>()
  const egress = localEgress({ connectionsPerOrigin: downloads })
  const outcomes = Array.from({ length: downloads }, () =>
    egress.download(collect(url, { onChunk: () => measured }).input),
  )
  await soon(() => expect(sent).toBe(downloads))
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate)
  // As objects, they would take 100 MB.
  expect(usedMb() - usedBefore).toBeLessThan(20)
  goOn()
  for (const outcome of await Promise.all(outcomes))
    expect(outcome).toMatchObject({ kind: "downloaded", decodedBytes: bytes })
})

test("an error thrown by onChunk rejects the download and closes the socket", async () => {
  const { url, sockets } = await startServer(respondWithBody(plain))
  const fault = new Error("disk full")
  const { input } = collect(url, { onChunk: () => Promise.reject(fault) })
  await expect(localEgress().download(input)).rejects.toBe(fault)
  await soon(() => expect(sockets.size).toBe(0))
})

test("a signal aborts a download within its body", async () => {
  const { url, sockets } = await startServer(onRequest((socket) => drip(socket)))
  const controller = new AbortController()
  const { input } = collect(url, { onChunk: () => controller.abort(), signal: controller.signal })
  expect(await localEgress().download(input)).toMatchObject({ kind: "aborted" })
  await soon(() => expect(sockets.size).toBe(0))
})
