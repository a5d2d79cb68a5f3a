import { once } from "node:events"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { onTestFinished } from "vitest"
import { createEgress, type Egress, type EgressOptions, type RequestInput } from "./createEgress.ts"

/** A server over real sockets that does what `onConnection` says. It is closed when the test is. */
export async function partner(
  onConnection: (socket: Socket) => void,
  server: Server = createServer(),
  at: { host: string; port: number } = { host: "127.0.0.1", port: 0 },
): Promise<{ port: number; url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => sockets.delete(socket))
  })
  server.on(server.listenerCount("secureConnection") > 0 ? "secureConnection" : "connection", onConnection)
  server.listen(at)
  await once(server, "listening")
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, "close")
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://${at.host}:${port}/hook/secret-path?key=secret-query`, sockets }
}

/** Calls `answer` with each request's text, once its head and declared body are there. */
export function onRequest(answer: (socket: Socket, request: string) => void): (socket: Socket) => void {
  return (socket) => {
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      const end = text.indexOf("\r\n\r\n")
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (end < 0 || text.length < end + 4 + length) return
      const request = text.slice(0, end + 4 + length)
      text = text.slice(request.length)
      answer(socket, request)
    })
  }
}

export function respond(text: string): (socket: Socket) => void {
  return onRequest((socket) => socket.write(text))
}

/** An egress that may call loopback, closed when the test is. Concurrent tests give their own `onEnd`. */
export function localEgress(options: Partial<EgressOptions> = {}, onEnd = onTestFinished): Egress {
  const egress = createEgress({
    allow: ["127.0.0.0/8"],
    allowHttp: true,
    userAgent: "sitewire-test",
    connectionsPerOrigin: 4,
    ...options,
  })
  onEnd(() => egress.close())
  return egress
}

export const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
export const TIMEOUT_MS = 500

export function post(url: string, more: Partial<RequestInput> = {}): RequestInput {
  const headers = { "content-type": "application/json" }
  return { method: "POST", url, headers, body: Buffer.from('{"a":1}'), timeoutMs: TIMEOUT_MS, ...more }
}
