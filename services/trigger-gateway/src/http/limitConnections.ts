import type { Socket } from "node:net"

export type ConnectionLimit = ReturnType<typeof limitConnections>

/**
 * Limits a server to `max` connections. A connection whose trigger waits for us is never closed (GATEWAY_MAX_WAITING limits these).
 * Of the others, the one that has been idle for longest is closed. Incomplete requests and unread responses protect none.
 *
 * A connection is proven when one of its triggers has been accepted. Unproven ones may be half of all: beyond it they are closed first,
 * so that callers without a valid trigger URL close no partner's connection. Within it they are not, so that idle proven connections do
 * not keep new callers out.
 */
export function limitConnections(max: number) {
  const open = new Map<Socket, { waiting: number; proven: boolean }>()
  /** In the order in which they became idle. */
  const idle = { proven: new Set<Socket>(), unproven: new Set<Socket>() }
  const maxUnproven = Math.max(1, max / 2)

  function forget(socket: Socket): void {
    open.delete(socket)
    idle.proven.delete(socket)
    idle.unproven.delete(socket)
  }

  return {
    /** Counts a new connection. If it is one too many, closes another one, or itself if there is none to close. */
    add(socket: Socket): void {
      socket.once("close", () => forget(socket))
      open.set(socket, { waiting: 0, proven: false })
      idle.unproven.add(socket)
      if (open.size <= max) return
      const [closing = socket] =
        idle.unproven.size > maxUnproven || idle.proven.size === 0 ? idle.unproven : idle.proven
      // Forget it now, because more connections may arrive before its "close" event.
      forget(closing)
      closing.destroy()
    },
    /** A complete trigger of this connection waits for Postgres and Kafka. */
    begin(socket: Socket): void {
      const connection = open.get(socket)
      if (!connection) return
      connection.waiting += 1
      idle.proven.delete(socket)
      idle.unproven.delete(socket)
    },
    end(socket: Socket, accepted: boolean): void {
      const connection = open.get(socket)
      if (!connection) return
      connection.waiting -= 1
      connection.proven ||= accepted
      if (connection.waiting === 0) idle[connection.proven ? "proven" : "unproven"].add(socket)
    },
  }
}
