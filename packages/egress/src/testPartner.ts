import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { createEgress, type Egress, type EgressOptions } from "./createEgress.ts"

/** A server over real sockets that does what `onConnection` says. It is closed when the test is. */
export async function partner(
  onConnection: (socket: Socket) => void,
  server: Server = createServer(),
): Promise<{ port: number; url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => sockets.delete(socket))
  })
  server.on(server.listenerCount("secureConnection") > 0 ? "secureConnection" : "connection", onConnection)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, "close")
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}/hook/secret-path?key=secret-query`, sockets }
}

/** Calls `answer` with each request's text, once its head and declared body are there. */
export function onRequest(answer: (socket: Socket, request: string) => void): (socket: Socket) => void {
  return (socket) => {
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      const end = text.indexOf("\r\n\r\n")
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (end < 0 || text.length < end + 4 + length) return
      const request = text.slice(0, end + 4 + length)
      text = text.slice(request.length)
      answer(socket, request)
    })
  }
}

export function respond(text: string): (socket: Socket) => void {
  return onRequest((socket) => socket.write(text))
}

/** An egress that may call loopback, closed when the test is. */
export function localEgress(options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({
    allow: ["127.0.0.0/8"],
    allowHttp: true,
    userAgent: "sitewire-test",
    connectionsPerOrigin: 4,
    ...options,
  })
  onTestFinished(() => egress.close())
  return egress
}

export type Certificate = { key: string; cert: string }

/**
 * A self-signed certificate made by openssl.
 *
 * @param subjectAltName such as `DNS:partner.test`
 * @param days of validity; negative for one that has expired
 */
export function certificate(subjectAltName: string, days = 2): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "egress-"))
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" })
  try {
    const subject = ["-subj", "/CN=test", "-addext", `subjectAltName=${subjectAltName}`]
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-new", ...curve, ...subject, "-keyout", "key.pem", "-out", "request.pem")
    const validity = ["-days", String(days), "-copy_extensions", "copy"]
    openssl("x509", "-req", "-in", "request.pem", "-signkey", "key.pem", ...validity, "-out", "cert.pem")
    return {
      key: readFileSync(join(folder, "key.pem"), "utf8"),
      cert: readFileSync(join(folder, "cert.pem"), "utf8"),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
