import type { RequestListener } from "node:http"
import { responses, sendLastResponse } from "./responses.ts"

const maxBodyBytes = 1024

/**
 * Discards a body of up to 1 KiB. Rejects a larger one with 413 before the URL is read, so that a 413 does
 * not reveal whether the URL is valid.
 */
export function rejectLargeBody(onRejected: () => void, next: RequestListener): RequestListener {
  return (request, response) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers
    if (encoding === undefined && (length === undefined || length === "0")) {
      next(request, response)
      return
    }
    if (encoding !== undefined && request.httpVersion === "1.0") {
      // HTTP/1.0 has no chunked bodies. Node emits the request before it notices that this body has no end.
      sendLastResponse(response, responses.chunkedHttp10)
      return
    }
    let bytes = 0
    let rejected = false
    const reject = () => {
      rejected = true
      onRejected()
      sendLastResponse(response, responses.bodyTooLarge)
    }
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength
      if (bytes > maxBodyBytes && !rejected) reject()
    })
    request.on("end", () => {
      if (!rejected) next(request, response)
    })
    // Without this listener, a client that disconnects would end the process.
    request.on("error", () => {})
    if (Number(length) > maxBodyBytes) reject()
  }
}
