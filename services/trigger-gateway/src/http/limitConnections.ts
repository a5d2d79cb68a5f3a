import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Keeps a server to `max` connections: one more closes the connection that has been idle for longest, so that nobody locks
 * others out by holding idle ones. Idle is a connection without a request in flight; one that has sent nothing, or a part of
 * a header, is idle too. Where none is idle the new connection is closed. Not `server.maxConnections`, with which Node
 * closes new ones before anybody is asked.
 */
export function limitConnections(server: Server, max: number): void {
  const inFlight = new Map<Socket, number>()
  /** In the order in which they became idle. */
  const idle = new Set<Socket>()

  function forget(socket: Socket): void {
    inFlight.delete(socket)
    idle.delete(socket)
  }

  server.on("connection", (socket: Socket) => {
    socket.once("close", () => forget(socket))
    const [longestIdle] = idle
    inFlight.set(socket, 0)
    idle.add(socket)
    if (inFlight.size <= max) return
    const closing = longestIdle ?? socket
    // At once, and not when it has closed: more may come before that.
    forget(closing)
    closing.destroy()
  })

  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const before = inFlight.get(socket)
    if (before === undefined) return
    inFlight.set(socket, before + 1)
    idle.delete(socket)
    response.once("close", () => {
      const left = (inFlight.get(socket) ?? 0) - 1
      if (!inFlight.has(socket)) return
      inFlight.set(socket, left)
      if (left === 0) idle.add(socket)
    })
  })
}
