import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export type Receiver = {
  url: string
  received: Received[]
  close(): Promise<void>
}

export async function startReceiver(
  respond: (request: Received, response: ServerResponse, before: number) => void = (_, response) => {
    response.writeHead(204).end()
  },
  { port = 0, host = "127.0.0.1" }: { port?: number; host?: string } = {},
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(
    readRequest((request, response) => {
      received.push(request)
      respond(request, response, received.length - 1)
    }),
  )
  server.listen(port, host)
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

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
