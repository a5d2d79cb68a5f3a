import { type SealingKeys, type Sql, sealContexts, unseal } from "@sitewire/database"
import { type Logger, reasonOf } from "@sitewire/runtime"
import type { SealedSecret } from "../delivery.ts"

const maxCached = 10_000

/**
 * Caches decrypted (unsealed) secrets by id. A rotation creates a new id, so a cached secret is never
 * outdated. If a secret cannot be unsealed, the process has the wrong sealing keys: calls `onUnopened` and
 * throws.
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

/**
 * Decrypts the newest channel's secret at the start, so that a process with the wrong sealing keys never
 * becomes ready.
 */
export async function checkNewestSecret(parts: {
  sql: Sql
  openSecret: ReturnType<typeof createSecretOpener>
  log: Logger
}): Promise<void> {
  try {
    await openNewestSecret(parts)
  } catch (error) {
    parts.log.error({ error }, "cannot open the newest channel's secret; its deliveries will be deferred")
  }
}

async function openNewestSecret(parts: {
  sql: Sql
  openSecret: ReturnType<typeof createSecretOpener>
}): Promise<void> {
  const { sql, openSecret } = parts
  const [newest] = await sql<{ id: string; secret_id: string; secret_sealed: Buffer }>(
    "select id, secret_id, secret_sealed from channel order by updated_at desc limit 1",
  )
  if (newest) openSecret(newest.id, { id: newest.secret_id, sealed: newest.secret_sealed })
}
