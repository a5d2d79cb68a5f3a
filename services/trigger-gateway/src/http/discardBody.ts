import type { IncomingMessage } from "node:http"

const maxBodyBytes = 1024

/**
 * Calls `onComplete` when the whole request has arrived, or `onTooLarge` as soon as the body is known to be larger than 1 KiB, and
 * neither if the client disconnects or sends an invalid body.
 */
export function discardBody(
  request: IncomingMessage,
  { onComplete, onTooLarge }: { onComplete: () => void; onTooLarge: () => void },
): void {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === "0")) {
    onComplete()
    return
  }
  let bytes = 0
  let rejected = false
  const reject = () => {
    rejected = true
    onTooLarge()
  }
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength
    if (bytes > maxBodyBytes && !rejected) reject()
  })
  request.on("end", () => {
    if (!rejected) onComplete()
  })
  // Without this listener, a client that disconnects would end the process.
  request.on("error", () => {})
  if (Number(length) > maxBodyBytes) reject()
}

/** Whether the connection can be used again if the response is sent before the body: Node then discards what is left of it. */
export function isBodySmall({ headers }: IncomingMessage): boolean {
  const { "content-length": length = 0, "transfer-encoding": encoding } = headers
  return encoding === undefined && Number(length) <= maxBodyBytes
}
