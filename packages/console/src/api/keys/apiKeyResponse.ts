import type { ApiKey } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"

/** The columns of a response. The hash of the key is omitted. */
export const apiKeyColumns = {
  id: true,
  name: true,
  scopes: true,
  created_at: true,
  expires_at: true,
  last_used_at: true,
  revoked_at: true,
} as const

type ApiKeyRow = Prisma.ApiKeyGetPayload<{ select: typeof apiKeyColumns }>

export function apiKeyResponse(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  }
}
