import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Received, receive } from "./readRequest.ts"

export type Receiver = {
  url: string
  received: Received[]
  close(): Promise<void>
}

/**
 * A partner's notification address: keeps every request with its raw bytes, and answers as `answer` says (204 where
 * it says nothing). `answer` may leave the response open, or destroy it.
 */
export async function startReceiver(
  answer: (request: Received, response: ServerResponse, before: number) => void = (_, response) => {
    response.writeHead(204).end()
  },
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(
    receive((request, response) => {
      received.push(request)
      answer(request, response, received.length - 1)
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
