import { createSecureContext, createServer } from "node:tls"
import { makeCertificate } from "@sitewire/cli/receivers"
import { expect, test } from "vitest"
import { startServer } from "../../test/fixtures/rawServer.ts"
import { createTls13Server, keyUpdates } from "../../test/fixtures/tlsRecords.ts"
import { openSocket } from "./openSocket.ts"

test("a server that sends TLS tickets without end loses its connection, and few of them are kept", async () => {
  const { cert, key } = makeCertificate("DNS:partner.test")
  const { port } = await startServer(() => {}, createServer({ cert, key }))
  const kept: Buffer[] = []
  const ended = new Promise<Error>((resolve) => {
    const socket = openSocket(
      partnerAt(port),
      ["127.0.0.1"],
      { secureContext: createSecureContext({ ca: cert }), session: undefined },
      {
        onTcp() {},
        // Node's server sends two, and cannot send more.
        onReady: (ready) => {
          for (let ticket = 0; ticket < 100; ticket++) ready.emit("session", Buffer.alloc(1))
        },
        onFailed: resolve,
        onSession: (ticket) => void kept.push(ticket),
      },
    )
    expect(socket.destroyed).toBe(false)
  })
  expect((await ended).message).toBe("the server sent more than 16 TLS tickets")
  expect(kept.length).toBe(16)
})

test("a server that updates its TLS key without end loses its connection at once", async () => {
  const { cert, key } = makeCertificate("DNS:partner.test")
  const { server, secret } = createTls13Server({ cert, key })
  const { port, sockets } = await startServer((socket) => {
    const flood = () => sockets.forEach((tcp) => void tcp.write(keyUpdates(secret(), 2, 1_000)))
    // After two records with tickets.
    socket.once("data", () => setImmediate(flood))
  }, server)
  const tls = { secureContext: createSecureContext({ ca: cert }), session: undefined }
  const error = await new Promise<Error>((onFailed) =>
    openSocket(partnerAt(port), ["127.0.0.1"], tls, {
      onTcp() {},
      onReady: (ready) => void ready.resume().write("a"),
      onFailed,
      onSession() {},
    }),
  )
  expect(error.message).toBe("the server sent more than 16 TLS key updates")
})

function partnerAt(port: number) {
  const [host, origin] = ["partner.test", `https://partner.test:${port}`]
  return { origin, host, servername: host, port, tls: true, ips: undefined, path: "/" }
}
