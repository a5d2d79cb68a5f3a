import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Limits a server to `max` connections. A further connection closes the one that has been idle (without a
 * request in flight) for longest. If none is idle, the new one is closed. Node's `server.maxConnections`
 * always closes the new one, so idle connections could lock out callers.
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
    // Forget it now, because more connections may arrive before its "close" event.
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
