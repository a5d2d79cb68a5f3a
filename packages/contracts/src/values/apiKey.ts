import { randomBytes } from "node:crypto"

/** `swk_` and 256 random bits. A hash of so many random bits needs neither a salt nor a slow function. */
const format = /^swk_[A-Za-z0-9_-]{43}$/

export function newApiKey(): string {
  return `swk_${randomBytes(32).toString("base64url")}`
}

export function isApiKey(text: string): boolean {
  return format.test(text)
}
