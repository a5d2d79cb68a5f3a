import type { Channel } from "@sitewire/contracts"

/** The columns that are answered. Named one by one, so that a sealed secret is not even read. */
export const channelColumns = {
  id: true,
  address: true,
  secretId: true,
  createdAt: true,
  updatedAt: true,
} as const

export function channelAnswer(row: {
  id: string
  address: string
  secretId: string
  createdAt: Date
  updatedAt: Date
}): Channel {
  return {
    id: row.id,
    address: row.address,
    secret_id: row.secretId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
