import { type SealingKeys, type Sql, sealContexts, unseal } from "@sitewire/database"
import { reasonOf } from "@sitewire/runtime"
import type { SealedSecret } from "../delivery.ts"

/** Opened secrets that are kept; more than any process needs at a time, and little memory. */
const maxCached = 10_000

/**
 * Opens channels' signing secrets and keeps what it opened. A secret never changes under its id (a rotation makes a
 * new id), so what is kept cannot be out of date. Throws where one does not open, and says so to `onUnopened` first: that
 * is a fault of the process's keys, and no partner's.
 */
export function createSecretOpener(
  keys: SealingKeys,
  onUnopened: (why: string) => void,
): (channelId: string, secret: SealedSecret) => string {
  function open(channelId: string, { id, sealed }: SealedSecret): string {
    try {
      return unseal(keys, sealContexts.signingSecret(channelId, id), sealed)
    } catch (error) {
      onUnopened(reasonOf(error))
      throw error
    }
  }

  const opened = new Map<string, string>()
  return (channelId, sealed) => {
    const known = opened.get(sealed.id)
    if (known !== undefined) return known
    const secret = open(channelId, sealed)
    if (opened.size >= maxCached) opened.clear()
    opened.set(sealed.id, secret)
    return secret
  }
}

/** Opens the secret that the console sealed last, so that a process with other keys is not ready from its start on. */
export async function checkNewestSecret(
  sql: Sql,
  openSecret: ReturnType<typeof createSecretOpener>,
): Promise<void> {
  const [newest] = await sql<{ id: string; secret_id: string; secret_sealed: Buffer }>(
    "select id, secret_id, secret_sealed from channel order by updated_at desc limit 1",
  )
  if (newest) openSecret(newest.id, { id: newest.secret_id, sealed: newest.secret_sealed })
}
