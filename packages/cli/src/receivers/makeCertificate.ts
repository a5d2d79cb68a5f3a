import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export type Certificate = { key: string; cert: string }

/**
 * A certificate made by openssl, because Node cannot make one and the repository contains no private keys.
 *
 * @param subjectAltName such as `DNS:partner.test` or `IP:127.0.0.1`
 * @param days of validity; negative: the certificate has expired
 * @param issuer signs the certificate. Without an issuer it is self-signed and may issue others.
 */
export function makeCertificate(subjectAltName: string, days = 2, issuer?: Certificate): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"))
  try {
    const subject = [
      "-subj",
      `/CN=${issuer ? "partner" : "issuer"}`,
      "-addext",
      `subjectAltName=${subjectAltName}`,
    ]
    const role = ["-addext", `basicConstraints=critical,CA:${issuer ? "FALSE" : "TRUE"}`]
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl(folder, [
      "req",
      "-new",
      ...curve,
      ...subject,
      ...role,
      "-keyout",
      "key.pem",
      "-out",
      "request.pem",
    ])
    if (issuer) {
      writeFileSync(join(folder, "issuer.pem"), issuer.cert)
      writeFileSync(join(folder, "issuer-key.pem"), issuer.key, { mode: 0o600 })
    }
    const signer = issuer
      ? ["-CA", "issuer.pem", "-CAkey", "issuer-key.pem", "-CAcreateserial"]
      : ["-signkey", "key.pem"]
    const validity = ["-days", String(days), "-copy_extensions", "copy"]
    openssl(folder, ["x509", "-req", "-in", "request.pem", ...signer, ...validity, "-out", "cert.pem"])
    const read = (file: string) => readFileSync(join(folder, file), "utf8")
    return { key: read("key.pem"), cert: read("cert.pem") }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function openssl(cwd: string, args: string[]): void {
  try {
    execFileSync("openssl", args, { cwd, stdio: ["ignore", "ignore", "pipe"] })
  } catch (cause) {
    throw new Error("openssl could not make a certificate. Is openssl 3 installed and in the PATH?", {
      cause,
    })
  }
}
