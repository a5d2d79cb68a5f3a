import { type SealingKeys, sealContexts, unseal } from "@sitewire/database"
import type { SealedSecret } from "./delivery.ts"

/** Opened secrets that are kept; more than any process needs at a time, and little memory. */
const maxKept = 10_000

/**
 * Opens channels' signing secrets and keeps what it opened. A secret never changes under its id (a rotation makes a
 * new id), so what is kept cannot be out of date.
 */
export function createSecretOpener(keys: SealingKeys): (channelId: string, secret: SealedSecret) => string {
  const opened = new Map<string, string>()
  return (channelId, { id, sealed }) => {
    const known = opened.get(id)
    if (known !== undefined) return known
    const secret = unseal(keys, sealContexts.signingSecret(channelId, id), sealed)
    if (opened.size >= maxKept) opened.clear()
    opened.set(id, secret)
    return secret
  }
}
