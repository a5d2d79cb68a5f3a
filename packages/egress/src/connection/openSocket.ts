import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from "node:net"
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls"
import type { Target } from "../address/parseTarget.ts"
import { TlsFloodError } from "./tlsFloodError.ts"

export type SocketSteps = {
  onTcp(tcp: Socket): void
  onReady(socket: Socket): void
  onFailed(error: Error): void
  onSession(session: Buffer, socket: TLSSocket): void
}

type TlsState = { secureContext: SecureContext; session: Buffer | undefined }

/**
 * A server sends one or two after the handshake. Each takes 50 µs and more, they need no call, and no other limit counts them: a megabyte
 * of them would take seconds.
 */
const MAX_TICKETS = 16

/** Each takes 10 µs for 27 bytes. A server needs one after some gigabytes. */
const MAX_KEY_UPDATES = 16

// After this time, the next IP address is tried. The last one gets all the remaining time. Above 1 s, because
// TCP repeats a lost packet after 1 s.
const NEXT_IP_AFTER_MS = 1_500

/** Connects only to the vetted `ips`. The certificate must match the target's host. Returns the TCP socket. */
export function openSocket(
  target: Target,
  ips: readonly string[],
  tls: TlsState,
  steps: SocketSteps,
): Socket {
  const tcp = connectTcp(tcpOptions(target, ips))
  tcp.on("error", steps.onFailed)
  return tcp.once("connect", () => {
    steps.onTcp(tcp)
    if (target.tls) openTls(target, tcp, tls, steps)
    else steps.onReady(tcp)
  })
}

function openTls(
  { host, servername }: Target,
  tcp: Socket,
  { secureContext, session }: TlsState,
  { onReady, onFailed, onSession }: SocketSteps,
): void {
  const socket = connectTls({
    socket: tcp,
    host,
    ...(servername === undefined ? {} : { servername }),
    ...(session === undefined ? {} : { session }),
    secureContext,
    // Set explicitly, so that the variable NODE_TLS_REJECT_UNAUTHORIZED cannot disable the check.
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
  })
  socket.on("error", onFailed)
  let tickets = 0
  socket.on("session", (session: Buffer) => {
    if (++tickets > MAX_TICKETS)
      socket.destroy(new TlsFloodError(`the server sent more than ${MAX_TICKETS} TLS tickets`))
    else onSession(session, socket)
  })
  socket.once("secureConnect", () => {
    let keyUpdates = 0
    // After the handshake, OpenSSL reports the new key of each update, and at once: thousands can arrive in one turn of the event loop.
    socket.on("keylog", () => {
      if (++keyUpdates > MAX_KEY_UPDATES && !socket.destroyed)
        socket.destroy(new TlsFloodError(`the server sent more than ${MAX_KEY_UPDATES} TLS key updates`))
    })
    onReady(socket)
  })
}

function tcpOptions(target: Target, ips: readonly string[]): TcpNetConnectOpts {
  const [first, ...others] = ips
  const common = { port: target.port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }
  if (first !== undefined && others.length === 0) return { ...common, host: first }
  const addresses = ips.map((address) => ({ address, family: isIP(address) }))
  return {
    ...common,
    host: target.host,
    lookup: (_host, _options, callback) => callback(null, addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_IP_AFTER_MS,
  }
}

export function lastOf(error: Error): unknown {
  return (error instanceof AggregateError ? error.errors.at(-1) : undefined) ?? error
}
