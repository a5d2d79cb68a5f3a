import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Received, readRequest } from "./readRequest.ts"

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
