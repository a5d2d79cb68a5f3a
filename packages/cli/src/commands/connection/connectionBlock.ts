import type { Connection } from "@sitewire/contracts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"

export function connectionBlock(
  connection: Connection & { trigger_url?: string; signing_secret?: string },
  style: Style,
): string {
  const { last_synced_at, last_success_at, failing_since } = connection
  const { window_ends_at, next_sync_at, token_replaced_at, trigger_url } = connection
  const { signing_secret_replaced_at, signing_secret } = connection
  const outcome = connection.last_outcome ? `, ${connection.last_outcome}` : ""
  return block(style, [
    ["connection", connection.id],
    ["site", connection.site],
    ["source", connection.source],
    ["runner", connection.runner],
    ["request headers", connection.request_header_names.join(", ") || null],
    ["state", connection.state],
    ["last sync", last_synced_at && `${style.time(last_synced_at)}${outcome}`],
    ["last success", last_success_at && style.time(last_success_at)],
    ["failing since", failing_since && style.time(failing_since)],
    ["last error", connection.last_reason],
    ["next step", connection.next_step],
    ["window ends", window_ends_at && style.time(window_ends_at)],
    ["next sync", next_sync_at && style.time(next_sync_at)],
    ["created", style.time(connection.created_at)],
    ["token replaced", token_replaced_at && style.time(token_replaced_at)],
    ["secret replaced", signing_secret_replaced_at && style.time(signing_secret_replaced_at)],
    ["trigger url", trigger_url ?? null],
    ["signing secret", signing_secret ?? null],
  ])
}
