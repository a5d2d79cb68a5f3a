import { isSecret, newSecret } from "./prefixedSecret.ts"
import { sha256 } from "./sha256.ts"

export const newConnectorToken = () => newSecret("swt")

export const isConnectorToken = (text: string) => isSecret("swt", text)

/** The hash by which a token is found. A token's 256 random bits need neither a salt nor a slow hash. */
export function hashConnectorToken(text: string): Buffer {
  return sha256(text)
}
