import { type SealingKeys, sealContexts, unseal } from "@sitewire/database"
import type { Channel } from "./delivery.ts"

/** Opened secrets that are kept; more than any process needs at a time, and little memory. */
const maxKept = 10_000

/**
 * Opens channels' signing secrets and keeps what it opened. A secret never changes under its id (a rotation makes a
 * new id), so what is kept cannot be out of date.
 */
export function createSecretOpener(keys: SealingKeys): (channel: Channel) => string {
  const opened = new Map<string, string>()
  return (channel) => {
    const known = opened.get(channel.secretId)
    if (known !== undefined) return known
    const secret = unseal(
      keys,
      sealContexts.signingSecret(channel.id, channel.secretId),
      channel.secretSealed,
    )
    if (opened.size >= maxKept) opened.clear()
    opened.set(channel.secretId, secret)
    return secret
  }
}
