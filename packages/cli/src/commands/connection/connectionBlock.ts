import type { Connection } from "@sitewire/contracts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"

export function connectionBlock(connection: Connection & { trigger_url?: string }, style: Style): string {
  const { next_sync_at, token_replaced_at, trigger_url } = connection
  return block(style, [
    ["connection", connection.id],
    ["site", connection.site],
    ["source", connection.source],
    ["runner", connection.runner],
    ["state", connection.state],
    ["last error", connection.last_error],
    ["next sync", next_sync_at && style.time(next_sync_at)],
    ["created", style.time(connection.created_at)],
    ["token replaced", token_replaced_at && style.time(token_replaced_at)],
    ["trigger url", trigger_url ?? null],
  ])
}
