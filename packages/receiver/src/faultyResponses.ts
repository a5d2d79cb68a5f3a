import type { ServerResponse } from "node:http"
import type { Writable } from "node:stream"
import { gzipSync } from "node:zlib"

/** What a behaviour may depend on, in milliseconds. */
type Pace = {
  /** The caller's limit from the start of an attempt to the head of the answer. */
  timeoutMs: number
  /** Between two bytes of what drips. */
  dripMs: number
}

/** Behaves towards one request, whose body has been read. */
export type Answer = (response: ServerResponse, pace: Pace) => void

/** Writes `text` past the HTTP server, which would refuse to say such things. */
export function raw(text: string): Answer {
  return ({ socket }) => void socket?.write(text)
}

export function head(status: number, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(status, headers).end()
}

/** 204 after this many milliseconds. */
export function later(delayMs: (timeoutMs: number) => number): Answer {
  return (response, { timeoutMs }) => {
    const timer = setTimeout(() => response.writeHead(204).end(), delayMs(timeoutMs))
    response.on("close", () => clearTimeout(timer))
  }
}

export const dripHeader: Answer = ({ socket }, { dripMs }) => {
  const start = "HTTP/1.1 200 OK\r\nx-drip: "
  let sent = 0
  const drip = () => socket?.write(start[sent++] ?? "a")
  drip()
  const timer = setInterval(drip, dripMs)
  socket?.on("close", () => clearInterval(timer))
}

export const dripBody: Answer = (response, { dripMs }) => {
  response.writeHead(200).write("a")
  const timer = setInterval(() => response.write("a"), dripMs)
  response.on("close", () => clearInterval(timer))
}

/** 1xx answers as fast as they are taken, and never a final one. */
export const hintForEver: Answer = ({ socket }) => {
  const hints = Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(32))
  if (socket) pour(socket, hints, Number.POSITIVE_INFINITY)
}

const chunk = Buffer.alloc(50_000, "a")

export const flood: Answer = (response) => {
  response.writeHead(200)
  pour(response, chunk, Number.POSITIVE_INFINITY)
}

/** A gzip file may have many members: one of 10 MiB, sent a hundred times, unpacks to 1 GiB from 1 MB. */
export function gzipBomb(): Answer {
  // Made at the first request: packing it holds up the whole process for a while.
  let member: Buffer | undefined
  return (response) => {
    member ??= gzipSync(Buffer.alloc(10 * 1_048_576))
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" })
    pour(response, member, 100)
  }
}

export const largeBody: Answer = (response) => {
  response.writeHead(200, { "content-length": "10000000" })
  pour(response, chunk, 200)
}

/**
 * Writes as fast as is read, but takes a turn of the loop for each chunk: a loop that writes while it may goes on for
 * as long as the other side keeps up, and would hold up every other partner of this process.
 */
function pour(stream: Writable, chunk: Buffer, times: number): void {
  if (stream.destroyed) return
  if (times === 0) stream.end()
  else stream.write(chunk, () => setImmediate(pour, stream, chunk, times - 1))
}
