import type { Socket } from "node:net"
import type { SecureContext } from "node:tls"
import errors from "undici/lib/core/errors.js"
import Client from "undici/lib/dispatcher/client.js"
import type { Phase } from "../request/classifyNetworkError.ts"
import { lastOf, openSocket } from "./openSocket.ts"
import type { Target } from "../address/parseTarget.ts"

/** One connection and, at a time, one user. */
export type Connection = {
  readonly client: Client
  /** What the present user vetted: a reconnect before its request is written goes only there. */
  addresses: readonly string[]
  /** The address that the socket is, or was last, connected to. */
  address: string | undefined
  phase: Phase
  /** Whether its present user still waits for the answer's head. */
  headAwaited: boolean
  /** Set when the connection was opened for its present user. */
  connectMs: number | undefined
  tlsMs: number | undefined
}

export type User = {
  readonly target: Target
  /** Vetted for this use; a kept connection serves only if its address is among them. */
  readonly addresses: readonly string[]
  /** Serve by a new connection only. */
  readonly fresh: boolean
  onConnection(connection: Connection): void
}

export type Pool = {
  /** Calls `onConnection` at once, or when a connection of this origin is free, in order of asking. */
  acquire(user: User): void
  /** Withdraws a user who still waits. */
  leave(user: User): void
  /** To be called while the end of an answer is handled; the connection is kept if its socket survives it. */
  release(connection: Connection): void
  /** Closes the connection, at whatever step it is. */
  discard(connection: Connection): void
  /** Closes all connections. Users still being served see their requests fail. */
  close(): Promise<void>
  counts(): { origins: number; open: number; idle: number }
}

export type PoolOptions = {
  connectionsPerOrigin: number
  maxIdle: number
  idleMs: number
  maxHeaderBytes: number
  secureContext: SecureContext
}

type Slot = Connection & {
  origin: Origin
  socket: Socket | undefined
  /** Bytes that the socket had read when its present user came. */
  readBefore: number
  gone: boolean
  settle: () => void
}

// An origin lives as long as something is open or waits; idle connections close, so origins need no bound
// of their own.
type Origin = { key: string; open: number; idle: Slot[]; waiting: Set<User> }

/** A session spares the certificate's check as well, so it is used no longer than the certificate is valid. */
type Session = { ticket: Buffer; until: number }

const SESSIONS_KEPT = 1_000

// A head may be preceded by sixteen 1xx answers, and by a handshake.
const ANSWER_HEADS = 24

/**
 * Keeps connections by origin and address. It drives one undici client per connection rather than undici's
 * own pool for three reasons: a user can be served only by an address that it vetted; whoever times out
 * while connecting or waiting can be withdrawn and its socket closed at that moment; and the time spent on
 * connecting belongs to the one request that caused it.
 */
export function createPool(options: PoolOptions): Pool {
  const origins = new Map<string, Origin>()
  const open = new Set<Slot>()
  const idle = new Set<Slot>()
  const sessions = new Map<string, Session>()

  function acquire(user: User): void {
    const key = user.target.origin
    let origin = origins.get(key)
    if (origin === undefined) {
      origin = { key, open: 0, idle: [], waiting: new Set() }
      origins.set(key, origin)
    }
    // Last in, first out, so that connections that are not needed stay idle and close.
    for (let at = user.fresh ? -1 : origin.idle.length - 1; at >= 0; at--) {
      const slot = origin.idle[at]
      if (slot?.address === undefined || !user.addresses.includes(slot.address)) continue
      origin.idle.splice(at, 1)
      idle.delete(slot)
      serve(slot, user)
      return
    }
    if (origin.open >= options.connectionsPerOrigin) {
      const outdated = origin.idle[0]
      if (outdated === undefined) {
        origin.waiting.add(user)
        return
      }
      discard(outdated)
      // With its last connection closed, the origin was forgotten.
      origins.set(key, origin)
    }
    serve(openSlot(origin, user.target), user)
  }

  function sessionOf(origin: string): Session | undefined {
    const session = sessions.get(origin)
    return session !== undefined && session.until > Date.now() ? session : undefined
  }

  /**
   * The parser passes over empty lines before an answer without a word, so they would be read for as long as they come:
   * by a call up to its limit, and by a kept connection for ever.
   */
  function watchReading(slot: Slot, socket: Socket): void {
    if (idle.has(slot)) discard(slot)
    else if (slot.headAwaited && socket.bytesRead - slot.readBefore > ANSWER_HEADS * options.maxHeaderBytes)
      socket.destroy(new errors.HeadersOverflowError())
  }

  function serve(slot: Slot, user: User): void {
    slot.headAwaited = true
    slot.readBefore = slot.socket?.bytesRead ?? 0
    slot.addresses = user.addresses
    slot.connectMs = undefined
    slot.tlsMs = undefined
    user.onConnection(slot)
  }

  function openSlot(origin: Origin, target: Target): Slot {
    const slot: Slot = {
      origin,
      socket: undefined,
      gone: false,
      addresses: [],
      address: undefined,
      headAwaited: true,
      readBefore: 0,
      phase: "connect",
      connectMs: undefined,
      tlsMs: undefined,
      settle: () => settle(slot),
      client: new Client(target.origin, {
        connect: (_, done) => connect(slot, target, done),
        allowH2: false,
        pipelining: 1,
        // The call's own timer bounds both.
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: options.idleMs,
        keepAliveMaxTimeout: options.idleMs,
        keepAliveTimeoutThreshold: 1_000,
        maxHeaderSize: options.maxHeaderBytes,
      }),
    }
    slot.client.on("disconnect", () => {
      if (idle.has(slot)) discard(slot)
    })
    origin.open++
    open.add(slot)
    return slot
  }

  function connect(
    slot: Slot,
    target: Target,
    done: (...result: [null, Socket] | [Error, null]) => void,
  ): void {
    let settled = false
    const startedAt = performance.now()
    const session = sessionOf(target.origin)
    const tls = { secureContext: options.secureContext, session: session?.ticket }
    slot.phase = "connect"
    slot.socket = openSocket(target, slot.addresses, tls, {
      onTcp(socket) {
        slot.connectMs = performance.now() - startedAt
        slot.address = socket.remoteAddress
        slot.phase = target.tls ? "tls" : "open"
      },
      onReady(socket) {
        if (target.tls) slot.tlsMs = performance.now() - startedAt - (slot.connectMs ?? 0)
        slot.phase = "open"
        settled = true
        // Before the parser's own listener.
        socket.on("readable", () => watchReading(slot, socket))
        done(null, socket)
      },
      onFailed(error) {
        if (settled) return
        settled = true
        slot.address ??= triedLast(error)
        done(error, null)
      },
      onSession(ticket, socket) {
        if (sessions.size >= SESSIONS_KEPT) sessions.delete(sessions.keys().next().value ?? "")
        // A connection that was resumed has not seen the certificate again.
        const until = socket.isSessionReused()
          ? session?.until
          : Date.parse(socket.getPeerCertificate().valid_to)
        sessions.set(target.origin, { ticket, until: until ?? 0 })
      },
    })
  }

  function settle(slot: Slot): void {
    if (slot.gone) return
    const { origin } = slot
    const user = first(origin.waiting)
    const { socket } = slot
    // What is not written yet stands before the next request, and whoever answered without reading it will not read on.
    const survived =
      socket !== undefined && !socket.destroyed && socket.writableLength === 0 && slot.address !== undefined
    const serves = user === undefined || (!user.fresh && user.addresses.includes(slot.address ?? ""))
    if (!survived || !serves) {
      discard(slot)
    } else if (user !== undefined) {
      origin.waiting.delete(user)
      serve(slot, user)
    } else {
      origin.idle.push(slot)
      idle.add(slot)
      if (idle.size > options.maxIdle) {
        const oldest = first(idle)
        if (oldest !== undefined) discard(oldest)
      }
    }
  }

  function discard(connection: Connection): void {
    const slot = connection as Slot
    if (slot.gone) return
    slot.gone = true
    const { origin } = slot
    open.delete(slot)
    if (idle.delete(slot)) origin.idle.splice(origin.idle.indexOf(slot), 1)
    origin.open--
    slot.client.destroy().catch(ignore)
    slot.socket?.destroy()
    const user = first(origin.waiting)
    if (user !== undefined) {
      origin.waiting.delete(user)
      serve(openSlot(origin, user.target), user)
    } else if (origin.open === 0) {
      origins.delete(origin.key)
    }
  }

  return {
    acquire,
    leave: (user) => {
      origins.get(user.target.origin)?.waiting.delete(user)
    },
    // Whether the server keeps the connection is known only when the parser has finished with the answer. A
    // tick comes after that and before the promise of the answer: as a microtask, this would come after it,
    // and a caller that goes on at once would find no connection free.
    release: (connection) => process.nextTick((connection as Slot).settle),
    discard,
    async close() {
      const sockets = [...open].flatMap((slot) => (slot.socket === undefined ? [] : [slot.socket]))
      for (const slot of open) discard(slot)
      await Promise.all(sockets.map(socketClosed))
    },
    counts: () => ({ origins: origins.size, open: open.size, idle: idle.size }),
  }
}

/** Of several addresses that were tried, the one whose error counts. */
function triedLast(error: Error): string | undefined {
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

// A client that is destroyed reports it to the requests it held.
function ignore(): void {}
