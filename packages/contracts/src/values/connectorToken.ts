import { randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"
import { sha256 } from "./sha256.ts"

const prefix = "swt_"
const randomLength = 43
const checksumLength = 6
const form = new RegExp(`^${prefix}[A-Za-z0-9_-]{${randomLength + checksumLength}}$`)

/** The token in a connection's address: `swt_`, 256 random bits, six characters of checksum. Shown once. */
export function newConnectorToken(): string {
  const body = prefix + randomBytes(32).toString("base64url")
  return body + checksum(body)
}

/**
 * Whether the text has the form of a token and its checksum is right. Says nothing about whether it was
 * ever given out; it is there so that a mistyped or invented token costs no query.
 */
export function isConnectorToken(text: string): boolean {
  if (!form.test(text)) return false
  const body = text.slice(0, -checksumLength)
  return text.slice(-checksumLength) === checksum(body)
}

/** What is kept of a token. Its 256 random bits need no salt and no slow hash. */
export function hashConnectorToken(text: string): Buffer {
  return sha256(text)
}

/** CRC-32 has 32 bits, which are exactly six characters of base64url. */
function checksum(body: string): string {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(crc32(body))
  return bytes.toString("base64url")
}
