import type { IncomingHttpHeaders, RequestListener, ServerResponse } from "node:http"

export type Received = {
  at: number
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Calls `take` with each request once its whole body is there, as raw bytes. */
export function receive(take: (request: Received, response: ServerResponse) => void): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { method = "", url = "", headers } = request
      take({ at: Date.now(), method, path: url, headers, body: Buffer.concat(chunks) }, response)
    })
  }
}
