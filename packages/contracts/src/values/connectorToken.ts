import { randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"
import { sha256 } from "./sha256.ts"

const prefix = "swt_"
const randomLength = 43
const checksumLength = 6
const tokenFormat = new RegExp(`^${prefix}[A-Za-z0-9_-]{${randomLength + checksumLength}}$`)

/** Makes the token of a connection's trigger URL: `swt_`, 256 random bits, a checksum of six characters. */
export function newConnectorToken(): string {
  const body = prefix + randomBytes(32).toString("base64url")
  return body + checksum(body)
}

/** Checks the format and the checksum, so that a mistyped or invented token costs no query. */
export function isConnectorToken(text: string): boolean {
  if (!tokenFormat.test(text)) return false
  const body = text.slice(0, -checksumLength)
  return text.slice(-checksumLength) === checksum(body)
}

/** The hash by which a token is found. A token's 256 random bits need neither a salt nor a slow hash. */
export function hashConnectorToken(text: string): Buffer {
  return sha256(text)
}

/** The 32 bits of a CRC-32 fill six characters of base64url. */
function checksum(body: string): string {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(crc32(body))
  return bytes.toString("base64url")
}
