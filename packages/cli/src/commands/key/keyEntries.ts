import type { ApiKey } from "@sitewire/contracts"
import type { Entry } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"

export function keyEntries(key: ApiKey, style: Style): Entry[] {
  return [
    ["id", key.id],
    ["name", key.name],
    ["state", keyState(key, style.now)],
    ["scopes", key.scopes.join(", ")],
    ["created", style.time(key.created_at)],
    ["expires", key.expires_at === null ? "never" : style.time(key.expires_at)],
    ["last used", key.last_used_at === null ? "never" : style.time(key.last_used_at)],
    ["revoked", key.revoked_at && style.time(key.revoked_at)],
  ]
}

export function keyState({ revoked_at, expires_at }: ApiKey, now: Date): string {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && new Date(expires_at) <= now ? "expired" : "active"
}
