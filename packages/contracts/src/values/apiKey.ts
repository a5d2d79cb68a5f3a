import { isSecret, newSecret } from "./prefixedSecret.ts"

/** Without a checksum: a first key that an operator made with `openssl rand`. */
const madeByOperator = /^swk_[A-Za-z0-9_-]{43}$/

/** A hash of so many random bits needs neither a salt nor a slow function. */
export const newApiKey = () => newSecret("swk")

export function isApiKey(text: string): boolean {
  return isSecret("swk", text) || madeByOperator.test(text)
}
