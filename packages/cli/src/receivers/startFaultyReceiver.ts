import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import type { Respond } from "./faultyResponses.ts"
import { type Certificate, makeCertificate } from "./makeCertificate.ts"
import { neverAccept } from "./neverAccept.ts"
import { type Fault, type ReceiverFaultName, receiverFaults } from "./receiverFaults.ts"
import { type Received, readRequest } from "./startReceiver.ts"

export type FaultyReceiverOptions = {
  /** The caller's time limit in milliseconds; 10 s by default, as in the contract. */
  timeoutMs?: number
  /** The pause in milliseconds between two bytes of a response that is sent byte by byte. */
  dripMs?: number
  port?: number
  onRequest?: (request: Received) => void
  /**
   * Signs the certificates of the faults `expired` and `wrong-name`. A caller that trusts this issuer meets
   * only that fault, and not an unknown issuer as well.
   */
  issuer?: Certificate
  /** Makes the receiver use TLS with this certificate. Ignored if the fault itself is a bad certificate. */
  certificate?: Certificate
}

export type FaultyReceiver = {
  url: string
  port: number
  /** Number of open connections, without those that were never accepted. */
  open: () => number
  close: () => Promise<void>
}

export async function startFaultyReceiver(
  name: ReceiverFaultName,
  options: FaultyReceiverOptions = {},
): Promise<FaultyReceiver> {
  const { timeoutMs = 10_000, dripMs = 1_000, port = 0, onRequest = () => {} } = options
  const behaviour = receiverFaults[name]
  if (behaviour.kind === "never-accepts") {
    const queue = await neverAccept(port)
    return { ...queue, url: `http://127.0.0.1:${queue.port}/`, open: () => 0 }
  }
  const respond: Respond =
    behaviour.kind === "responds" ? behaviour.respond : (response) => response.writeHead(204).end()
  const listener = readRequest((request, response) => {
    onRequest(request)
    // The caller may have closed the connection.
    response.on("error", () => {})
    respond(response, { timeoutMs, dripMs })
  })
  const certificate =
    behaviour.kind === "responds" ? options.certificate : certificateWith(behaviour.fault, options.issuer)
  return listen(listener, port, certificate)
}

function certificateWith(fault: Fault, issuer = makeCertificate("DNS:issuer.test")): Certificate {
  if (fault === "self-signed") return makeCertificate("IP:127.0.0.1")
  if (fault === "expired") return makeCertificate("IP:127.0.0.1", -1, issuer)
  return makeCertificate("DNS:another.test", 2, issuer)
}

async function listen(
  listener: RequestListener,
  port: number,
  certificate?: Certificate,
): Promise<FaultyReceiver> {
  const server: Server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => sockets.delete(socket))
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  const bound = (server.address() as AddressInfo).port
  return {
    url: `${certificate ? "https" : "http"}://127.0.0.1:${bound}/`,
    port: bound,
    open: () => sockets.size,
    async close() {
      const closed = once(server, "close")
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
