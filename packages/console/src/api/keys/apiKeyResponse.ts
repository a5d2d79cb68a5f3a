import type { ApiKey } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"

/** The columns of a response. The hash of the key is omitted. */
export const apiKeyColumns = {
  id: true,
  name: true,
  scopes: true,
  createdAt: true,
  expiresAt: true,
  lastUsedAt: true,
  revokedAt: true,
} as const

type ApiKeyRow = Prisma.ApiKeyGetPayload<{ select: typeof apiKeyColumns }>

export function apiKeyResponse(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  }
}
