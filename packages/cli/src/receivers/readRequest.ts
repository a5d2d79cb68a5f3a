import type { IncomingHttpHeaders, RequestListener, ServerResponse } from "node:http"

export type Received = {
  at: number
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export function readRequest(handle: (request: Received, response: ServerResponse) => void): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { method = "", url = "", headers } = request
      handle({ at: Date.now(), method, path: url, headers, body: Buffer.concat(chunks) }, response)
    })
  }
}
