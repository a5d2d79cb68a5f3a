import { timingSafeEqual } from "node:crypto"
import { hashConnectorToken } from "@sitewire/contracts"
import type { Address } from "./parseTriggerUrl.ts"

/** Compared with where there is no such connection, so that this takes as long as a wrong token. */
const noHash = Buffer.alloc(32)

/**
 * Whether each address is its connection's current one. One read for all, and nothing is remembered: a token is dead on
 * every replica as soon as the statement that replaced it returned.
 */
export async function checkTokens(
  addresses: readonly Address[],
  readHashes: (connections: string[]) => Promise<Map<string, Buffer>>,
): Promise<boolean[]> {
  const hashes = await readHashes([...new Set(addresses.map(({ connection }) => connection))])
  return addresses.map(({ connection, token }) => {
    const stored = hashes.get(connection)
    const same = timingSafeEqual(hashConnectorToken(token), stored ?? noHash)
    return same && stored !== undefined
  })
}
