import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import type { Answer } from "./faultyResponses.ts"
import { type Certificate, makeCertificate } from "./makeCertificate.ts"
import { neverAccept } from "./neverAccept.ts"
import { type Received, receive } from "./readRequest.ts"
import { type Fault, type ReceiverFaultName, receiverFaults } from "./receiverFaults.ts"

export type FaultyReceiverOptions = {
  /** The caller's time limit, in milliseconds, to be just within or beyond. 10 s, as in the contract. */
  timeoutMs?: number
  /** Between two bytes of what drips, in milliseconds. */
  dripMs?: number
  /** 0 picks a free one. */
  port?: number
  /** Called with each request, before the misbehaviour begins. */
  onRequest?: (request: Received) => void
  /** Who issues the expired and the wrong-name certificate: a caller that trusts it sees that fault and no other. */
  issuer?: Certificate
  /** Answers over TLS with this certificate. Those that are themselves about certificates take no notice. */
  certificate?: Certificate
}

export type FaultyReceiver = {
  url: string
  port: number
  /** Connections that are open now. Those that are never accepted are not counted. */
  open: () => number
  close: () => Promise<void>
}

/** A partner on 127.0.0.1 that behaves in one of the ways of `receiverFaults`. Rejects where the port is taken. */
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
  const answer: Answer =
    behaviour.kind === "answers" ? behaviour.answer : (response) => response.writeHead(204).end()
  const listener = receive((request, response) => {
    onRequest(request)
    // Whatever it was about to say, the caller may be gone.
    response.on("error", () => {})
    answer(response, { timeoutMs, dripMs })
  })
  const certificate =
    behaviour.kind === "answers" ? options.certificate : certificateWith(behaviour.fault, options.issuer)
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
