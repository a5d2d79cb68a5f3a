import type { ServerResponse } from "node:http"
import type { Writable } from "node:stream"
import { gzipSync } from "node:zlib"

/** In milliseconds. */
type Pace = {
  /** The caller's time limit for the response's head. */
  timeoutMs: number
  /** The pause between two bytes of a response that is sent byte by byte. */
  dripMs: number
}

export type Respond = (response: ServerResponse, pace: Pace) => void

/** Writes `text` directly to the socket, because Node's response methods cannot send it. */
export function raw(text: string): Respond {
  return ({ socket }) => void socket?.write(text)
}

export function head(status: number, headers: Record<string, string> = {}): Respond {
  return (response) => void response.writeHead(status, headers).end()
}

export function later(delayMs: (timeoutMs: number) => number): Respond {
  return (response, { timeoutMs }) => {
    const timer = setTimeout(() => response.writeHead(204).end(), delayMs(timeoutMs))
    response.on("close", () => clearTimeout(timer))
  }
}

export const dripHeader: Respond = ({ socket }, { dripMs }) => {
  const start = "HTTP/1.1 200 OK\r\nx-drip: "
  let sent = 0
  const drip = () => socket?.write(start[sent++] ?? "a")
  drip()
  const timer = setInterval(drip, dripMs)
  socket?.on("close", () => clearInterval(timer))
}

export const dripBody: Respond = (response, { dripMs }) => {
  response.writeHead(200).write("a")
  const timer = setInterval(() => response.write("a"), dripMs)
  response.on("close", () => clearInterval(timer))
}

export const hintForEver: Respond = ({ socket }) => {
  const hints = Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(32))
  if (socket) pour(socket, hints, Number.POSITIVE_INFINITY)
}

const chunk = Buffer.alloc(50_000, "a")

export const flood: Respond = (response) => {
  response.writeHead(200)
  pour(response, chunk, Number.POSITIVE_INFINITY)
}

/** A body of 1 MB that unpacks to 1 GiB: it repeats one gzip member, which unpacks to 10 MiB, 100 times. */
export function gzipBomb(): Respond {
  // Made at the first request, because packing blocks the process.
  let member: Buffer | undefined
  return (response) => {
    member ??= gzipSync(Buffer.alloc(10 * 1_048_576))
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" })
    pour(response, member, 100)
  }
}

export const largeBody: Respond = (response) => {
  response.writeHead(200, { "content-length": "10000000" })
  pour(response, chunk, 200)
}

/**
 * Writes as fast as the caller reads, but only one chunk in each turn of the event loop, so as not to block
 * other requests.
 */
function pour(stream: Writable, chunk: Buffer, times: number): void {
  if (stream.destroyed) return
  if (times === 0) stream.end()
  else stream.write(chunk, () => setImmediate(pour, stream, chunk, times - 1))
}
