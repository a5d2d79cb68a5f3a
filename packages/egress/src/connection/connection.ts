import type { Socket } from "node:net"
import { type SecureContext, TLSSocket } from "node:tls"
import errors from "undici/lib/core/errors.js"
import Client from "undici/lib/dispatcher/client.js"
import type { Target } from "../address/parseTarget.ts"
import type { Phase } from "../request/classifyNetworkError.ts"
import { adaptParser, forgetStatus, type ParsedSocket } from "./adaptParser.ts"
import { lastOf, openSocket } from "./openSocket.ts"
import { TlsFloodError } from "./tlsFloodError.ts"
import type { createTlsSessions } from "./tlsSessions.ts"

export type ConnectionOptions = { secureContext: SecureContext; onCertificate: OnCertificate | undefined }

/** `origin` is as in URLs, such as `https://partner.example`. */
export type OnCertificate = (origin: string, expiresAt: Date) => void

type Owner = {
  options: ConnectionOptions
  sessions: ReturnType<typeof createTlsSessions>
  isIdle(connection: Connection): boolean
  /** The call has ended: another may use the connection. */
  settle(connection: Connection): void
  discard(connection: Connection): void
}

const MAX_HEADER_BYTES = 16 * 1_024

// The head of a response must end within this many. That leaves room for what may
// precede it: a TLS handshake and up to sixteen 1xx responses.
const MAX_READ_BEFORE_HEAD = 24 * MAX_HEADER_BYTES

/**
 * How long a connection may be idle if the server states no time: many partners get one event a minute, and a new TLS
 * connection costs many times what a request does. A server may close it earlier, even just when a request is written:
 * a repeatable request is then sent once more. Networks forget idle connections after four minutes or later.
 */
const IDLE_MS = 60_000
/** How long a connection may be idle at most if the server has stated (`Keep-Alive: timeout=…`) that it keeps it as long. */
const STATED_IDLE_MS = 120_000

// In one interval: room for a handshake.
const MAX_TLS_BYTES = 64 * 1_024

// In all intervals: room for the TLS tickets that follow a response.
const MAX_IDLE_TLS_BYTES = 16 * 1_024

/** A connection to one origin, which limits what it reads. It opens its socket for the first request. */
export class Connection {
  readonly target: Target
  readonly client: Client
  /**
   * IP addresses that the current call has vetted. A reconnect before its request is written uses only these.
   */
  ips: readonly string[] = []
  ip: string | undefined
  /** Undefined until the connection is ready. */
  socket: ParsedSocket | undefined
  phase: Phase = "connect"
  /** True until the head of the current call's response has arrived. 1xx responses do not count. */
  headAwaited = true
  connectMs: number | undefined
  tlsMs: number | undefined
  readonly #owner: Owner
  /** The same as `socket`, or what a TLS socket uses: its `bytesRead` counts TLS, too. */
  #tcp: Socket | undefined
  /** What had been read when that was last counted during a call. */
  #counted = { bytes: 0, content: 0 }
  #readBefore = 0

  constructor(target: Target, owner: Owner) {
    this.target = target
    this.#owner = owner
    this.client = new Client(target.origin, {
      connect: (_, done) => this.#connect(done),
      allowH2: false,
      pipelining: 1,
      // undici's own timers for a response are off, because each call has a timer.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: STATED_IDLE_MS,
      keepAliveTimeoutThreshold: 1_000,
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    this.client.on("disconnect", () => {
      if (owner.isIdle(this)) owner.discard(this)
    })
  }

  /** Call it before each request. */
  begin(ips: readonly string[]): void {
    this.headAwaited = true
    if (this.socket) forgetStatus(this.socket)
    this.#readBefore = this.socket?.bytesRead ?? 0
    this.ips = ips
    this.connectMs = undefined
    this.tlsMs = undefined
  }

  #connect(done: (...result: [null, Socket] | [Error, null]) => void): void {
    const { target } = this
    const { options, sessions } = this.#owner
    let settled = false
    const startedAt = performance.now()
    const session = sessions.find(target.origin)
    const tls = { secureContext: options.secureContext, session: session?.ticket }
    this.phase = "connect"
    this.socket = undefined
    this.#counted = { bytes: 0, content: 0 }
    this.#tcp = openSocket(target, this.ips, tls, {
      onTcp: (tcp) => {
        this.connectMs = performance.now() - startedAt
        this.ip = tcp.remoteAddress
        this.phase = target.tls ? "tls" : "open"
      },
      onReady: (socket) => {
        this.socket = socket
        this.#counted.bytes = this.#tcp?.bytesRead ?? 0
        if (target.tls) this.tlsMs = performance.now() - startedAt - (this.connectMs ?? 0)
        this.phase = "open"
        settled = true
        // On a resumed connection the server sends no certificate.
        if (options.onCertificate && socket instanceof TLSSocket && !socket.isSessionReused())
          options.onCertificate(target.origin, new Date(socket.getPeerCertificate().valid_to))
        // Registered before undici's listener, so that the limit is checked before the bytes are parsed.
        socket.on("readable", () => this.#limitReading(socket))
        // undici makes its parser when the connection is reported.
        socket.once("readable", () => adaptParser(socket))
        done(null, socket)
      },
      onFailed: (error) => {
        if (settled) return
        settled = true
        this.ip ??= lastTriedIp(error)
        done(error, null)
      },
      onSession: (ticket, socket) => sessions.store(target.origin, ticket, socket, session),
    })
  }

  /**
   * Discards an idle connection that receives bytes. Otherwise limits the bytes before a response's head: the
   * HTTP parser skips empty lines there without reporting them, so a server could send them for ever.
   */
  #limitReading(socket: Socket): void {
    const { isIdle, discard } = this.#owner
    if (isIdle(this)) {
      discard(this)
    } else if (this.headAwaited) {
      const read = socket.bytesRead - this.#readBefore
      if (read > MAX_READ_BEFORE_HEAD) socket.destroy(new errors.HeadersOverflowError())
    }
  }

  /**
   * Limits what is not content of TLS records, such as their headers and TLS tickets. There may be as much of it as of content, because a
   * server may send few bytes in each record. What is only TLS reaches none of the listeners: call it at intervals.
   */
  limitTls(): void {
    const { bytes, content } = this.#counted
    const now = { bytes: this.#tcp?.bytesRead ?? 0, content: this.socket?.bytesRead ?? 0 }
    const excess = now.bytes - bytes - 2 * (now.content - content)
    if (this.#owner.isIdle(this)) {
      if (excess > MAX_IDLE_TLS_BYTES) this.#owner.discard(this)
      return
    }
    this.#counted = now
    if (excess > MAX_TLS_BYTES)
      (this.socket ?? this.#tcp)?.destroy(new TlsFloodError("the server sent more TLS than content"))
  }

  /** A closure, so that the end of a call allocates none. */
  readonly settle = (): void => {
    // A TLS socket reports that bytes are written one turn of the event loop later. The response can be faster.
    if (this.socket?.writableLength) setImmediate(this.#owner.settle, this)
    else this.#owner.settle(this)
  }

  /**
   * A server may respond before it has received the whole request. If bytes of the request are not written yet, the connection is not
   * reused, because they would precede the next request.
   */
  isReusable(): boolean {
    const { socket, ip } = this
    return socket !== undefined && !socket.destroyed && socket.writableLength === 0 && ip !== undefined
  }

  destroy(): void {
    this.client.destroy().catch(ignore)
    ;(this.socket ?? this.#tcp)?.destroy()
  }

  closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#tcp === undefined || this.#tcp.closed) resolve()
      else this.#tcp.once("close", () => resolve())
    })
  }
}

function lastTriedIp(error: Error): string | undefined {
  const last = lastOf(error)
  return last instanceof Error && "address" in last ? String(last.address) : undefined
}

// If `destroy` rejects, there is nothing to do: the client reports its destruction to its requests.
function ignore(): void {}
