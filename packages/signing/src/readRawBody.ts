import type { IncomingMessage } from "node:http"

export type RawBody =
  | { kind: "read"; body: Buffer }
  | { kind: "too large" }
  | { kind: "aborted" }
  | { kind: "already read" }

/**
 * Reads the body's bytes as they arrived; holds at most `limit` bytes, however much is sent. What is
 * over the limit flows on and is dropped, so that a sender that is still writing gets to read its answer; the
 * server's requestTimeout bounds that.
 */
export function readRawBody(request: IncomingMessage, limit: number): Promise<RawBody> {
  // A stream that has ended or was destroyed emits nothing more: waiting for it would hang the request.
  if (request.destroyed && !request.readableEnded) return Promise.resolve({ kind: "aborted" })
  // With an encoding set, chunks come as text, in which bytes that are not valid in it are already replaced.
  if (request.readableDidRead || request.readableEnded || request.readableEncoding !== null) {
    return Promise.resolve({ kind: "already read" })
  }

  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0

    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) resolve({ kind: "too large" })
      else chunks.push(chunk)
    })
    request.on("end", () => resolve({ kind: "read", body: Buffer.concat(chunks) }))
    // After the end this comes too, and changes nothing: a promise keeps its first outcome.
    request.on("close", () => resolve({ kind: "aborted" }))
  })
}
