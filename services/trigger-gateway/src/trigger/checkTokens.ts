import { timingSafeEqual } from "node:crypto"
import { hashConnectorToken } from "@sitewire/contracts"
import type { TriggerUrl } from "./parseTriggerUrl.ts"

/** For connections that do not exist, so that these take as long as a wrong token. */
const noHash = Buffer.alloc(32)

/**
 * Whether each token is its connection's current one. No cache: a replaced token is invalid on every gateway
 * as soon as the statement that replaced it has returned.
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
