import type { Socket } from "node:net"
import { type SecureContext, TLSSocket } from "node:tls"
import errors from "undici/lib/core/errors.js"
import Client from "undici/lib/dispatcher/client.js"
import type { Target } from "../address/parseTarget.ts"
import type { Phase } from "../request/classifyNetworkError.ts"
import { adaptParser, forgetStatus, type ParsedSocket } from "./adaptParser.ts"
import { lastOf, openSocket } from "./openSocket.ts"
import { TlsFloodError } from "./tlsFloodError.ts"
import { createTlsSessions } from "./tlsSessions.ts"

export type Connection = {
  readonly client: Client
  /**
   * IP addresses that the current call has vetted. A reconnect before its request is written uses only these.
   */
  ips: readonly string[]
  ip: string | undefined
  /** Undefined until the connection is ready. */
  socket: ParsedSocket | undefined
  phase: Phase
  /** True until the head of the current call's response has arrived. 1xx responses do not count. */
  headAwaited: boolean
  connectMs: number | undefined
  tlsMs: number | undefined
}

export type PoolUser = {
  readonly target: Target
  /** Vetted IP addresses. A connection is reused only if its IP address is among them. */
  readonly ips: readonly string[]
  /** True if the call must not reuse a connection, because it repeats a request. */
  readonly needsNew: boolean
  onConnection(connection: Connection): void
}

export type ConnectionPool = {
  /** Calls the user's `onConnection` at once, or when a connection is free. Users wait in order. */
  acquire(user: PoolUser): void
  cancelWait(user: PoolUser): void
  /** Call it at the end of the response. The connection is reused if its socket stays open. */
  release(connection: Connection): void
  discard(connection: Connection): void
  close(): Promise<void>
  counts(): { origins: number; open: number; idle: number }
}

export type ConnectionPoolOptions = {
  connectionsPerOrigin: number
  maxIdle: number
  idleMs: number
  /** The limit for a server that states how long it keeps an idle connection. */
  statedIdleMs: number
  maxHeaderBytes: number
  secureContext: SecureContext
  onCertificate: OnCertificate | undefined
}

/** `origin` is as in URLs, such as `https://partner.example`. */
export type OnCertificate = (origin: string, expiresAt: Date) => void

type PooledConnection = Connection & {
  origin: Origin
  /** The same as `socket`, or what a TLS socket uses: its `bytesRead` counts TLS, too. */
  tcp: Socket | undefined
  /** What had been read when that was last counted during a call. */
  counted: { bytes: number; content: number }
  readBefore: number
  discarded: boolean
  settle: () => void
}

// An origin is removed with its last connection, so the number of origins needs no limit.
type Origin = { key: string; open: number; idle: PooledConnection[]; waiting: Set<PoolUser> }

// The head of a response must end within this many times `maxHeaderBytes`. That leaves room for what may
// precede it: a TLS handshake and up to sixteen 1xx responses.
const MAX_HEADS_READ = 24

// What is only TLS reaches none of the listeners, so it is counted at intervals.
const COUNT_EVERY_MS = 250

// In one interval: room for a handshake.
const MAX_TLS_BYTES = 64 * 1_024

// In all intervals: room for the TLS tickets that follow a response.
const MAX_IDLE_TLS_BYTES = 16 * 1_024

/**
 * Reuses connections by origin and IP address. undici's own pool is not enough: a call must use only IP
 * addresses that it vetted, and a timeout must close the socket at once, even while it connects.
 */
export function createConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const origins = new Map<string, Origin>()
  const open = new Set<PooledConnection>()
  const idle = new Set<PooledConnection>()
  const sessions = createTlsSessions()
  const counting = setInterval(() => open.forEach(limitTls), COUNT_EVERY_MS).unref()

  function acquire(user: PoolUser): void {
    const key = user.target.origin
    let origin = origins.get(key)
    if (origin === undefined) {
      origin = { key, open: 0, idle: [], waiting: new Set() }
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
    if (origin.open >= options.connectionsPerOrigin) {
      const outdated = origin.idle[0]
      if (outdated === undefined) {
        origin.waiting.add(user)
        return
      }
      discard(outdated)
      // `discard` removed the origin if this was its last connection, so add it again.
      origins.set(key, origin)
    }
    serve(openConnection(origin, user.target), user)
  }

  /**
   * Discards an idle connection that receives bytes. Otherwise limits the bytes before a response's head: the
   * HTTP parser skips empty lines there without reporting them, so a server could send them for ever.
   */
  function limitReading(connection: PooledConnection, socket: Socket): void {
    if (idle.has(connection)) {
      discard(connection)
    } else if (connection.headAwaited) {
      const read = socket.bytesRead - connection.readBefore
      if (read > MAX_HEADS_READ * options.maxHeaderBytes) socket.destroy(new errors.HeadersOverflowError())
    }
  }

  /**
   * Limits what is not content of TLS records, such as their headers and TLS tickets. There may be as much of it as of content, because a
   * server may send few bytes in each record.
   */
  function limitTls(connection: PooledConnection): void {
    const { socket, tcp, counted } = connection
    const now = { bytes: tcp?.bytesRead ?? 0, content: socket?.bytesRead ?? 0 }
    const excess = now.bytes - counted.bytes - 2 * (now.content - counted.content)
    if (idle.has(connection)) {
      if (excess > MAX_IDLE_TLS_BYTES) discard(connection)
      return
    }
    connection.counted = now
    if (excess > MAX_TLS_BYTES)
      (socket ?? tcp)?.destroy(new TlsFloodError("the server sent more TLS than content"))
  }

  function serve(connection: PooledConnection, user: PoolUser): void {
    connection.headAwaited = true
    if (connection.socket) forgetStatus(connection.socket)
    connection.readBefore = connection.socket?.bytesRead ?? 0
    connection.ips = user.ips
    connection.connectMs = undefined
    connection.tlsMs = undefined
    user.onConnection(connection)
  }

  function openConnection(origin: Origin, target: Target): PooledConnection {
    const connection: PooledConnection = {
      origin,
      socket: undefined,
      tcp: undefined,
      discarded: false,
      ips: [],
      ip: undefined,
      headAwaited: true,
      counted: { bytes: 0, content: 0 },
      readBefore: 0,
      phase: "connect",
      connectMs: undefined,
      tlsMs: undefined,
      settle: () => {
        // A TLS socket reports that bytes are written one turn of the event loop later. The response can be faster.
        if (connection.socket?.writableLength) setImmediate(settle, connection)
        else settle(connection)
      },
      client: new Client(target.origin, {
        connect: (_, done) => connect(connection, target, done),
        allowH2: false,
        pipelining: 1,
        // undici's own timers for a response are off, because each call has a timer.
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: options.idleMs,
        keepAliveMaxTimeout: options.statedIdleMs,
        keepAliveTimeoutThreshold: 1_000,
        maxHeaderSize: options.maxHeaderBytes,
      }),
    }
    connection.client.on("disconnect", () => {
      if (idle.has(connection)) discard(connection)
    })
    origin.open++
    open.add(connection)
    return connection
  }

  function connect(
    connection: PooledConnection,
    target: Target,
    done: (...result: [null, Socket] | [Error, null]) => void,
  ): void {
    let settled = false
    const startedAt = performance.now()
    const session = sessions.find(target.origin)
    const tls = { secureContext: options.secureContext, session: session?.ticket }
    connection.phase = "connect"
    connection.socket = undefined
    connection.counted = { bytes: 0, content: 0 }
    connection.tcp = openSocket(target, connection.ips, tls, {
      onTcp(tcp) {
        connection.connectMs = performance.now() - startedAt
        connection.ip = tcp.remoteAddress
        connection.phase = target.tls ? "tls" : "open"
      },
      onReady(socket) {
        connection.socket = socket
        connection.counted.bytes = connection.tcp?.bytesRead ?? 0
        if (target.tls) connection.tlsMs = performance.now() - startedAt - (connection.connectMs ?? 0)
        connection.phase = "open"
        settled = true
        if (socket instanceof TLSSocket && options.onCertificate) reportCertificate(target.origin, socket)
        // Registered before undici's listener, so that the limit is checked before the bytes are parsed.
        socket.on("readable", () => limitReading(connection, socket))
        // undici makes its parser when the connection is reported.
        socket.once("readable", () => adaptParser(socket))
        done(null, socket)
      },
      onFailed(error) {
        if (settled) return
        settled = true
        connection.ip ??= lastTriedIp(error)
        done(error, null)
      },
      onSession: (ticket, socket) => sessions.store(target.origin, ticket, socket, session),
    })
  }

  /** On a resumed connection the server sends no certificate. */
  function reportCertificate(origin: string, socket: TLSSocket): void {
    if (socket.isSessionReused()) return
    options.onCertificate?.(origin, new Date(socket.getPeerCertificate().valid_to))
  }

  function settle(connection: PooledConnection): void {
    if (connection.discarded) return
    const { origin, socket } = connection
    const user = first(origin.waiting)
    // A server may respond before it has received the whole request. If bytes of the request are not written
    // yet, the connection is not reused, because they would precede the next request.
    const reusable =
      socket !== undefined && !socket.destroyed && socket.writableLength === 0 && connection.ip !== undefined
    const serves = user === undefined || (!user.needsNew && user.ips.includes(connection.ip ?? ""))
    if (!reusable || !serves) {
      discard(connection)
    } else if (user !== undefined) {
      origin.waiting.delete(user)
      serve(connection, user)
    } else {
      origin.idle.push(connection)
      idle.add(connection)
      if (idle.size > options.maxIdle) {
        const oldest = first(idle)
        if (oldest !== undefined) discard(oldest)
      }
    }
  }

  function discard(discarded: Connection): void {
    const connection = discarded as PooledConnection
    if (connection.discarded) return
    connection.discarded = true
    const { origin } = connection
    open.delete(connection)
    if (idle.delete(connection)) origin.idle.splice(origin.idle.indexOf(connection), 1)
    origin.open--
    connection.client.destroy().catch(ignore)
    ;(connection.socket ?? connection.tcp)?.destroy()
    const user = first(origin.waiting)
    if (user !== undefined) {
      origin.waiting.delete(user)
      serve(openConnection(origin, user.target), user)
    } else if (origin.open === 0) {
      origins.delete(origin.key)
    }
  }

  return {
    acquire,
    cancelWait: (user) => {
      origins.get(user.target.origin)?.waiting.delete(user)
    },
    // Deferred by a tick, because undici reports the end of a response before it closes the socket. Code that
    // awaits the end continues later than that, so its next call can reuse the connection.
    release: (connection) => process.nextTick((connection as PooledConnection).settle),
    discard,
    async close() {
      clearInterval(counting)
      const sockets = [...open].flatMap(({ tcp }) => (tcp === undefined ? [] : [tcp]))
      for (const connection of open) discard(connection)
      await Promise.all(sockets.map(socketClosed))
    },
    counts: () => ({ origins: origins.size, open: open.size, idle: idle.size }),
  }
}

function lastTriedIp(error: Error): string | undefined {
  const last = lastOf(error)
  return last instanceof Error && "address" in last ? String(last.address) : undefined
}

function first<T>(set: Set<T>): T | undefined {
  return set.values().next().value
}

function socketClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once("close", () => resolve())
  })
}

// If `destroy` rejects, there is nothing to do: the client reports its destruction to its requests.
function ignore(): void {}
