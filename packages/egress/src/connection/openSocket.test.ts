import { createSecureContext, createServer } from "node:tls"
import { makeCertificate } from "@sitewire/cli/receivers"
import { expect, test } from "vitest"
import { startServer } from "../../test/fixtures/rawServer.ts"
import { openSocket } from "./openSocket.ts"

test("a server that sends TLS tickets without end loses its connection, and few of them are kept", async () => {
  const { cert, key } = makeCertificate("DNS:partner.test")
  const { port } = await startServer(() => {}, createServer({ cert, key }))
  const [host, origin] = ["partner.test", `https://partner.test:${port}`]
  const target = { origin, host, servername: host, port, tls: true, ips: undefined, path: "/" }
  const kept: Buffer[] = []
  const ended = new Promise<Error>((resolve) => {
    const socket = openSocket(
      target,
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
