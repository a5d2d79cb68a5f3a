import type { Connection } from "@sitewire/contracts"
import { block } from "./printBlock.ts"
import type { Style } from "./style.ts"

/** A connection as `key: value` lines; its address only where the answer holds it. */
export function connectionBlock(connection: Connection & { trigger_url?: string }, style: Style): string {
  const { next_sync_at, token_replaced_at, trigger_url } = connection
  return block(style, [
    ["connection", connection.id],
    ["site", connection.site],
    ["source", connection.source],
    ["runner", connection.runner],
    ["state", connection.state],
    ["last error", connection.last_error],
    ["next sync", next_sync_at && style.moment(next_sync_at)],
    ["created", style.moment(connection.created_at)],
    ["token replaced", token_replaced_at && style.moment(token_replaced_at)],
    ["address", trigger_url ?? null],
  ])
}
