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
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(
    readRequest((request, response) => {
      received.push(request)
      respond(request, response, received.length - 1)
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
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
