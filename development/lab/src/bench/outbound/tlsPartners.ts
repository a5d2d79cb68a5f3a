import { execFileSync } from "node:child_process"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import type { RequestListener } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

export const partnerCount = 3_000
const keyTypes = { rsa: ["rsa:2048"], ecdsa: ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"] }

/** Every other partner has the RSA certificate. */
export const partnerUrl = (at: number, port: string) =>
  `https://partner-${at}.${at % 2 === 0 ? "rsa" : "ecdsa"}.example:${port}`

/** Makes an issuer, and of each key type a certificate for all partners that have it. Returns the issuer's file. */
export function makeCertificates(cwd: string): string {
  const make = (name: string, keyType: readonly string[], more: readonly string[] = []) => {
    const args = ["req", "-x509", "-noenc", "-days", "2", "-subj", `/CN=${name}`, "-newkey", ...keyType]
    const files = ["-keyout", `${name}.key`, "-out", `${name}.pem`]
    execFileSync("openssl", [...args, ...files, ...more], { cwd, stdio: "pipe" })
  }
  make("issuer", keyTypes.rsa)
  const issuer = ["-CA", "issuer.pem", "-CAkey", "issuer.key"]
  for (const [name, keyType] of Object.entries(keyTypes))
    make(name, keyType, ["-addext", `subjectAltName=DNS:*.${name}.example`, ...issuer])
  return join(cwd, "issuer.pem")
}

/**
 * Serves all partners on one port of the loopback, with the certificates in the folder, and a name server for which every name
 * has the address 127.0.0.1, and none of IPv6.
 */
export async function serveTls(handle: RequestListener, folder: string) {
  const read = (file: string) => readFileSync(join(folder, file))
  const server = createServer(handle)
  for (const name of Object.keys(keyTypes))
    server.addContext(`*.${name}.example`, { key: read(`${name}.key`), cert: read(`${name}.pem`) })
  // Longer than a run, so that only clients close connections.
  server.keepAliveTimeout = 3_600_000
  const names = createSocket("udp4").on("message", (query, from) => {
    // The name ends with an empty label. Type and class follow.
    const end = query.indexOf(0, 12) + 5
    const isV4 = query.readUInt16BE(end - 4) === 1
    const head = Buffer.from([0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0])
    const answer = Buffer.from(isV4 ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1] : [])
    const response = [query.subarray(0, 2), head, query.subarray(12, end), answer]
    names.send(Buffer.concat(response), from.port, from.address)
  })
  await once(names.bind(0, "127.0.0.1"), "listening")
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  return { tlsPort: String(port), nameServer: `127.0.0.1:${names.address().port}` }
}
