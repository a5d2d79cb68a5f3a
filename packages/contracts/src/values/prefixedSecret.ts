import { randomBytes } from "node:crypto"
import { crc32 } from "node:zlib"
import { sha256 } from "./sha256.ts"

/** API key, signing secret, token of a trigger URL, sign-in link, session of the web console. */
export type SecretPrefix = "swk" | "sws" | "swt" | "swl" | "swc"

const checksumLength = 6
const format = /^(sw[kstlc])_[A-Za-z0-9_-]{43}[A-Za-z0-9_-]{6}$/

/** The prefix, 256 random bits and a checksum, all of which need no encoding in a URL. */
export function newSecret(prefix: SecretPrefix): string {
  const body = `${prefix}_${randomBytes(32).toString("base64url")}`
  return body + checksum(body)
}

/** Checks format and checksum, so that a mistyped or invented secret costs no query, and a scanner can tell them from examples. */
export function isSecret(prefix: SecretPrefix, text: string): boolean {
  if (format.exec(text)?.[1] !== prefix) return false
  return text.slice(-checksumLength) === checksum(text.slice(0, -checksumLength))
}

/** The 32 bits of a CRC-32 fill six characters of base64url. */
function checksum(body: string): string {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(crc32(body))
  return bytes.toString("base64url")
}

/** Without a checksum: a first key that an operator made with `openssl rand`. */
const madeByOperator = /^swk_[A-Za-z0-9_-]{43}$/

/** A hash of so many random bits needs neither a salt nor a slow function. */
export const newApiKey = () => newSecret("swk")

export function isApiKey(text: string): boolean {
  return isSecret("swk", text) || madeByOperator.test(text)
}

export const newConnectorToken = () => newSecret("swt")

export const isConnectorToken = (text: string) => isSecret("swt", text)

/** The hash by which a token is found. A token's 256 random bits need neither a salt nor a slow hash. */
export function hashConnectorToken(text: string): Buffer<ArrayBuffer> {
  return sha256(text)
}
