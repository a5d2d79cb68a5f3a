import type { IncomingMessage } from "node:http"
import { alreadyRead } from "./alreadyRead.ts"

/**
 * Reads the body's bytes as they arrived, and keeps at most `limit` bytes. Bytes beyond the limit are read
 * and dropped, so that a sender that still writes can read the response. The server's requestTimeout ends
 * a request whose body never ends. Rejects with a TypeError if something else has read the body.
 */
export async function readRawBody(
  request: IncomingMessage,
  limit: number,
): Promise<Buffer | "too large" | "aborted"> {
  // A destroyed stream emits no more events, so the promise below would never resolve.
  if (request.destroyed && !request.readableEnded) return "aborted"
  // If an encoding was set, chunks are text. Invalid bytes in it were replaced, so the raw bytes are lost.
  if (request.readableDidRead || request.readableEnded || request.readableEncoding !== null)
    throw alreadyRead()

  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0

    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) resolve("too large")
      else chunks.push(chunk)
    })
    request.on("end", () => resolve(Buffer.concat(chunks)))
    // `close` also follows a normal `end`. It then has no effect, because the promise is already resolved.
    request.on("close", () => resolve("aborted"))
  })
}
