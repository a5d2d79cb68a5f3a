import type { RequestListener } from "node:http"
import { answers, sendLastAnswer } from "./responses.ts"

const maxBodyBytes = 1024

/**
 * Reads over a body of up to 1 KiB and answers 413 to a larger one, before anything else looks at the request, so
 * that the answer says nothing about the address. What has no body, as triggers should, passes without waiting.
 */
export function refuseLargeBody(onRefused: () => void, next: RequestListener): RequestListener {
  return (request, response) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers
    if (encoding === undefined && (length === undefined || length === "0")) {
      next(request, response)
      return
    }
    let bytes = 0
    let refused = false
    const refuse = () => {
      refused = true
      onRefused()
      sendLastAnswer(response, answers.tooLarge)
    }
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength
      if (bytes > maxBodyBytes && !refused) refuse()
    })
    request.on("end", () => {
      if (!refused) next(request, response)
    })
    // A sender that goes away in the middle; there is nobody to answer.
    request.on("error", () => {})
    if (Number(length) > maxBodyBytes) refuse()
  }
}
