import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from "node:net"
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls"
import type { Target } from "../address/parseTarget.ts"

export type SocketSteps = {
  onTcp(socket: Socket): void
  onReady(socket: Socket): void
  onFailed(error: Error): void
  onSession(session: Buffer, socket: TLSSocket): void
}

type TlsState = { secureContext: SecureContext; session: Buffer | undefined }

// With several addresses, the next is tried when one has not accepted for this long, and the one before is given up; the
// last has all the time that is left. A lost packet is sent again after a second, so it does not cost the address.
const NEXT_ADDRESS_AFTER_MS = 1_500

/**
 * Connects to one of `addresses`, which were vetted, and to nothing else: no name is resolved here. Server
 * name and certificate are those of the target's host.
 */
export function openSocket(
  target: Target,
  addresses: readonly string[],
  tls: TlsState,
  steps: SocketSteps,
): Socket {
  const tcp = tcpOptions(target, addresses)
  const socket = target.tls ? openTls(target, tcp, tls, steps) : connectTcp(tcp)
  socket.once("connect", () => steps.onTcp(socket))
  socket.once(target.tls ? "secureConnect" : "connect", () => steps.onReady(socket))
  socket.on("error", steps.onFailed)
  return socket
}

function openTls(
  { servername }: Target,
  tcp: TcpNetConnectOpts,
  { secureContext, session }: TlsState,
  { onSession }: SocketSteps,
): TLSSocket {
  const socket = connectTls({
    ...tcp,
    ...(servername === undefined ? {} : { servername }),
    ...(session === undefined ? {} : { session }),
    secureContext,
    // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment cannot switch it off.
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
  })
  return socket.on("session", (made: Buffer) => onSession(made, socket))
}

function tcpOptions(target: Target, addresses: readonly string[]): TcpNetConnectOpts {
  const [first, ...others] = addresses
  const common = { port: target.port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }
  if (first !== undefined && others.length === 0) return { ...common, host: first }
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return {
    ...common,
    host: target.host,
    lookup: (_host, _options, answer) => answer(null, answers),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  }
}

/** Where several addresses were tried, the error of the last one, which says as much as all of them. */
export function lastOf(error: Error): unknown {
  return (error instanceof AggregateError ? error.errors.at(-1) : undefined) ?? error
}
