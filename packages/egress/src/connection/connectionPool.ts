/*
 * What undici's `Agent` with a vetting `lookup` does not do, and how it was seen:
 * - Vet each call: of three calls, the third went over an open connection although `lookup` would have rejected it, and nothing
 *   tells a call's addresses to the pool. So "a name is looked up and vetted at each call" and "a connection to an address that the name
 *   no longer has is not reused" (request.test.ts) fail.
 * - End a call while it connects: with a server that never answered, an aborted request stayed pending, and its socket open.
 * - Limit the idle connections of all origins together (MAX_IDLE).
 */
import type { Target } from "../address/parseTarget.ts"
import { Connection, type ConnectionOptions } from "./connection.ts"
import { createTlsSessions } from "./tlsSessions.ts"

export type PoolUser = {
  readonly target: Target
  /** Vetted IP addresses. A connection is reused only if its IP address is among them. */
  readonly ips: readonly string[]
  /** True if the call must not reuse a connection, because it repeats a request. */
  readonly needsNew: boolean
  onConnection(connection: Connection): void
}

export type ConnectionPool = ReturnType<typeof createConnectionPool>

// An origin is removed with its last connection, so the number of origins needs no limit.
type Origin = { open: number; idle: Connection[]; waiting: Set<PoolUser> }

/** With TLS, each takes some 70 kB. */
const MAX_IDLE = 4_096

const LIMIT_TLS_EVERY_MS = 250

/** Reuses connections by origin and IP address. */
export function createConnectionPool(connectionsPerOrigin: number, options: ConnectionOptions) {
  const origins = new Map<string, Origin>()
  const open = new Set<Connection>()
  const idle = new Set<Connection>()
  const owner = {
    options,
    sessions: createTlsSessions(),
    isIdle: (connection: Connection) => idle.has(connection),
    settle,
    discard,
  }
  const limiting = setInterval(() => {
    for (const connection of open) connection.limitTls()
  }, LIMIT_TLS_EVERY_MS).unref()

  function acquire(user: PoolUser): void {
    const key = user.target.origin
    let origin = origins.get(key)
    if (origin === undefined) {
      origin = { open: 0, idle: [], waiting: new Set() }
      origins.set(key, origin)
    }
    // Reuse the connection that became idle last, so that surplus connections stay idle and close.
    for (let at = user.needsNew ? -1 : origin.idle.length - 1; at >= 0; at--) {
      const connection = origin.idle[at]
      if (connection?.ip === undefined || !user.ips.includes(connection.ip)) continue
      origin.idle.splice(at, 1)
      idle.delete(connection)
      serve(connection, user)
      return
    }
    if (origin.open >= connectionsPerOrigin) {
      const outdated = origin.idle[0]
      if (outdated === undefined) {
        origin.waiting.add(user)
        return
      }
      discard(outdated)
      // `discard` removed the origin if this was its last connection, so add it again.
      origins.set(key, origin)
    }
    serveNew(origin, user)
  }

  function serveNew(origin: Origin, user: PoolUser): void {
    const connection = new Connection(user.target, owner)
    origin.open++
    open.add(connection)
    serve(connection, user)
  }

  function serve(connection: Connection, user: PoolUser): void {
    connection.begin(user.ips)
    user.onConnection(connection)
  }

  function settle(connection: Connection): void {
    const origin = origins.get(connection.target.origin)
    if (!open.has(connection) || origin === undefined) return
    const user = first(origin.waiting)
    const serves = user === undefined || (!user.needsNew && user.ips.includes(connection.ip ?? ""))
    if (!serves || !connection.isReusable()) {
      discard(connection)
    } else if (user !== undefined) {
      origin.waiting.delete(user)
      serve(connection, user)
    } else {
      origin.idle.push(connection)
      idle.add(connection)
      if (idle.size > MAX_IDLE) {
        const oldest = first(idle)
        if (oldest !== undefined) discard(oldest)
      }
    }
  }

  function discard(connection: Connection): void {
    const { origin: key } = connection.target
    const origin = origins.get(key)
    if (!open.delete(connection) || origin === undefined) return
    if (idle.delete(connection)) origin.idle.splice(origin.idle.indexOf(connection), 1)
    origin.open--
    connection.destroy()
    const user = first(origin.waiting)
    if (user !== undefined) {
      origin.waiting.delete(user)
      serveNew(origin, user)
    } else if (origin.open === 0) {
      origins.delete(key)
    }
  }

  return {
    /** Calls the user's `onConnection` at once, or when a connection is free. Users wait in order. */
    acquire,
    cancelWait(user: PoolUser): void {
      origins.get(user.target.origin)?.waiting.delete(user)
    },
    /**
     * Call it at the end of the response. Deferred by a tick, because undici reports the end of a response before it closes the
     * socket. Code that awaits the end continues later than that, so its next call can reuse the connection.
     */
    release: (connection: Connection): void => process.nextTick(connection.settle),
    discard,
    async close(): Promise<void> {
      clearInterval(limiting)
      const connections = [...open]
      for (const connection of open) discard(connection)
      await Promise.all(connections.map((connection) => connection.closed()))
    },
    counts: () => ({ origins: origins.size, open: open.size, idle: idle.size }),
  }
}

function first<T>(set: Set<T>): T | undefined {
  return set.values().next().value
}
