import { type Channel, lastCertificationSchema } from "@sitewire/contracts"
import { z } from "zod"

/**
 * The columns that a response needs. They are listed one by one so that sealed (encrypted) secrets are never
 * read.
 */
export const channelColumns = {
  id: true,
  address: true,
  secretId: true,
  otherSecretId: true,
  otherSecretState: true,
  otherSecretSince: true,
  standardWebhooks: true,
  sendTraceparent: true,
  pausedAt: true,
  maxPerSecond: true,
  operatorNotifications: true,
  lastCertification: true,
  createdAt: true,
  updatedAt: true,
} as const

export type ChannelRow = {
  id: string
  address: string
  secretId: string
  otherSecretId: string | null
  otherSecretState: "staged" | "retiring" | null
  otherSecretSince: Date | null
  standardWebhooks: boolean
  sendTraceparent: boolean
  pausedAt: Date | null
  maxPerSecond: number | null
  operatorNotifications: boolean
  lastCertification: unknown
  createdAt: Date
  updatedAt: Date
}

export function channelResponse(row: ChannelRow): Channel {
  return {
    id: row.id,
    address: row.address,
    secret_id: row.secretId,
    other_secret: otherSecret(row),
    standard_webhooks: row.standardWebhooks,
    send_traceparent: row.sendTraceparent,
    paused_at: row.pausedAt?.toISOString() ?? null,
    max_per_second: row.maxPerSecond,
    operator_notifications: row.operatorNotifications,
    last_certification: storedCertification.parse(row.lastCertification),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

/** Postgres's JSON has times with an offset. */
const storedCertification = lastCertificationSchema
  .extend({ finished_at: z.coerce.date().transform((at) => at.toISOString()) })
  .nullable()

function otherSecret({ otherSecretId: id, otherSecretState: state, otherSecretSince: since }: ChannelRow) {
  return id === null || state === null || since === null ? null : { id, state, since: since.toISOString() }
}
