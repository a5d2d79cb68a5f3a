import { timingSafeEqual } from "node:crypto"
import { hashConnectorToken } from "@sitewire/contracts"
import type { TriggerUrl } from "./parseTriggerUrl.ts"
import type { StoredToken } from "./readTokenHashes.ts"

/** `mayBeReplaced`: the hash of a wrong token, if tokens of its connection were replaced. */
export type CheckedToken = { valid: boolean; mayBeReplaced: Buffer | null }

/** Compared if a connection does not exist, so that the check takes as long as for a wrong token. */
const noHash = Buffer.alloc(32)

const valid: CheckedToken = { valid: true, mayBeReplaced: null }
const wrong: CheckedToken = { valid: false, mayBeReplaced: null }

/**
 * Whether each token is its connection's current one. Hashes are not cached, so that a replaced token is
 * invalid on every gateway at once.
 */
export async function checkTokens(
  triggers: readonly TriggerUrl[],
  readHashes: (connections: string[]) => Promise<Map<string, StoredToken>>,
): Promise<CheckedToken[]> {
  const hashes = await readHashes([...new Set(triggers.map(({ connection }) => connection))])
  return triggers.map(({ connection, token }) => {
    const stored = hashes.get(connection)
    const given = hashConnectorToken(token)
    const same = timingSafeEqual(given, stored?.hash ?? noHash)
    if (stored === undefined) return wrong
    if (same) return valid
    return stored.wasReplaced ? { valid: false, mayBeReplaced: given } : wrong
  })
}
