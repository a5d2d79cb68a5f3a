import type { Connection } from "@sitewire/contracts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"

export function connectionBlock(connection: Connection & { trigger_url?: string }, style: Style): string {
  const { last_synced_at, last_success_at, failing_since } = connection
  const { window_ends_at, next_sync_at, token_replaced_at, trigger_url } = connection
  const outcome = connection.last_outcome ? `, ${connection.last_outcome}` : ""
  return block(style, [
    ["connection", connection.id],
    ["site", connection.site],
    ["source", connection.source],
    ["runner", connection.runner],
    ["state", connection.state],
    ["last sync", last_synced_at && `${style.time(last_synced_at)}${outcome}`],
    ["last success", last_success_at && style.time(last_success_at)],
    ["failing since", failing_since && style.time(failing_since)],
    ["last error", connection.last_error],
    ["window ends", window_ends_at && style.time(window_ends_at)],
    ["next sync", next_sync_at && style.time(next_sync_at)],
    ["created", style.time(connection.created_at)],
    ["token replaced", token_replaced_at && style.time(token_replaced_at)],
    ["trigger url", trigger_url ?? null],
  ])
}
