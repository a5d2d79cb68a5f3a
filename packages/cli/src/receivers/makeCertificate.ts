import { generateKeyPairSync, randomBytes } from "node:crypto"
import forge from "node-forge"

export type Certificate = { key: string; cert: string }

const dayMs = 86_400_000

/**
 * A certificate for tests and for receivers that misbehave. The repository contains no private keys.
 *
 * @param subjectAltName such as `DNS:partner.test` or `IP:127.0.0.1`
 * @param days of validity; negative: the certificate has expired
 * @param issuer signs the certificate. Without an issuer it is self-signed and may issue others.
 */
export function makeCertificate(subjectAltName: string, days = 2, issuer?: Certificate): Certificate {
  const { publicKey, privateKey: key } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  // Begins with 01, because a serial number is positive.
  certificate.serialNumber = `01${randomBytes(8).toString("hex")}`
  certificate.validity.notBefore = new Date(Date.now() - 3 * dayMs)
  certificate.validity.notAfter = new Date(Date.now() + days * dayMs)
  const subject = [{ name: "commonName", value: issuer ? "partner" : "issuer" }]
  certificate.setSubject(subject)
  certificate.setIssuer(issuer ? forge.pki.certificateFromPem(issuer.cert).subject.attributes : subject)
  certificate.setExtensions([
    { name: "basicConstraints", critical: true, cA: issuer === undefined },
    { name: "subjectAltName", altNames: [altName(subjectAltName)] },
  ])
  certificate.sign(forge.pki.privateKeyFromPem(issuer?.key ?? key), forge.md.sha256.create())
  return { key, cert: forge.pki.certificateToPem(certificate) }
}

/** The types are those of GeneralName in RFC 5280: 2 is a DNS name, 7 an IP address. */
function altName(subjectAltName: string): { type: number; value?: string; ip?: string } {
  const [kind, value = ""] = subjectAltName.split(":")
  return kind === "IP" ? { type: 7, ip: value } : { type: 2, value }
}
