import { timingSafeEqual } from "node:crypto"
import { hashConnectorToken } from "@sitewire/contracts"
import type { TriggerUrl } from "./parseTriggerUrl.ts"

/** Compared if a connection does not exist, so that the check takes as long as for a wrong token. */
const noHash = Buffer.alloc(32)

/**
 * Whether each token is its connection's current one. Hashes are not cached, so that a replaced token is
 * invalid on every gateway at once.
 */
export async function checkTokens(
  triggers: readonly TriggerUrl[],
  readHashes: (connections: string[]) => Promise<Map<string, Buffer>>,
): Promise<boolean[]> {
  const hashes = await readHashes([...new Set(triggers.map(({ connection }) => connection))])
  return triggers.map(({ connection, token }) => {
    const stored = hashes.get(connection)
    const same = timingSafeEqual(hashConnectorToken(token), stored ?? noHash)
    return same && stored !== undefined
  })
}
