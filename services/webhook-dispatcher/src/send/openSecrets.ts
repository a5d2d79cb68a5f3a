import { openRequestHeaders, type SealingKeys, type Sql, sealContexts, unseal } from "@sitewire/database"
import type { Channel, SealedSecret } from "@sitewire/deliveries"
import { type Logger, reasonOf } from "@sitewire/runtime"

const maxCached = 10_000

export type ChannelOpener = {
  openSecret(channelId: string, secret: SealedSecret): string
  openHeaders(channel: Pick<Channel, "id" | "requestHeadersSealed">): Record<string, string>
}

/**
 * Caches decrypted (unsealed) secrets by id. A rotation creates a new id, so a cached secret is never
 * outdated. If a value cannot be unsealed, the process has the wrong sealing keys: calls `onUnopened` and
 * throws.
 */
export function createChannelOpener(keys: SealingKeys, onUnopened: (why: string) => void): ChannelOpener {
  function open<T>(unsealed: () => T): T {
    try {
      return unsealed()
    } catch (error) {
      onUnopened(reasonOf(error))
      throw error
    }
  }

  const opened = new Map<string, string>()
  return {
    openSecret(channelId, { id, sealed }) {
      const known = opened.get(id)
      if (known !== undefined) return known
      const secret = open(() => unseal(keys, sealContexts.signingSecret(channelId, id), sealed))
      if (opened.size >= maxCached) opened.clear()
      opened.set(id, secret)
      return secret
    },
    openHeaders: ({ id, requestHeadersSealed: sealed }) =>
      open(() => openRequestHeaders(keys, sealContexts.receiverHeaders(id), sealed)),
  }
}

/**
 * Decrypts the newest channel's secret at the start, so that a process with the wrong sealing keys never
 * becomes ready.
 */
export async function checkNewestSecret(parts: {
  sql: Sql
  openSecret: ChannelOpener["openSecret"]
  log: Logger
}): Promise<void> {
  try {
    await openNewestSecret(parts)
  } catch (error) {
    parts.log.error({ error }, "cannot open the newest channel's secret; its deliveries will be deferred")
  }
}

async function openNewestSecret(parts: { sql: Sql; openSecret: ChannelOpener["openSecret"] }): Promise<void> {
  const { sql, openSecret } = parts
  const [newest] = await sql<{ id: string; secret_id: string; secret_sealed: Buffer }>(
    "select id, secret_id, secret_sealed from channel order by updated_at desc limit 1",
  )
  if (newest) openSecret(newest.id, { id: newest.secret_id, sealed: newest.secret_sealed })
}
