import { type Channel, lastCertificationSchema } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import { z } from "zod"
import { type Caller, manages } from "../../auth/caller.ts"
import { maskEmails } from "../deliveries/maskEmails.ts"
import { changesOf, ok, type Success } from "../response.ts"
import { withoutQuery } from "../withoutQuery.ts"

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
  partnerMayChangeAddress: true,
  contact: { select: { address: true } },
  requestHeaderNames: true,
  requestHeadersChangedAt: true,
  lastCertification: true,
  createdAt: true,
  updatedAt: true,
} as const

export type ChannelRow = Prisma.ChannelGetPayload<{ select: typeof channelColumns }>

/** The contact is masked: see `withWholeContact`. */
export function channelResponse(row: ChannelRow, caller: Caller): Channel {
  const shown = shownAddress(row.id, caller)
  const last = lastCertificationOf(row)
  return {
    id: row.id,
    address: shown(row.address),
    secret_id: row.secretId,
    other_secret: otherSecret(row),
    standard_webhooks: row.standardWebhooks,
    request_header_names: row.requestHeaderNames,
    request_headers_changed_at: row.requestHeadersChangedAt?.toISOString() ?? null,
    send_traceparent: row.sendTraceparent,
    paused_at: row.pausedAt?.toISOString() ?? null,
    max_per_second: row.maxPerSecond,
    operator_notifications: row.operatorNotifications,
    partner_may_change_address: row.partnerMayChangeAddress,
    contact: row.contact && maskEmails(row.contact.address),
    last_certification: last && { ...last, address: shown(last.address) },
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

/** The response to a request that changed the channel from `found` to `row`, with what the audit log records. */
export function changedChannel(found: ChannelRow, row: ChannelRow, caller: Caller): Success<Channel> {
  const after = channelResponse(row, caller)
  const changes = changesOf(channelResponse(found, caller), after)
  return ok(after, { audit: { target: { kind: "channel", id: row.id }, changes } })
}

/** Addresses of a channel are shown with their query to its partner, and to those who may change them. */
export function shownAddress(channel: string, caller: Caller): (address: string) => string {
  return manages(caller, `channel:${channel}`) ? (address) => address : withoutQuery
}

/** One of an earlier address says nothing about the receiver at this one. */
export function lastCertificationOf({ address, lastCertification }: ChannelRow) {
  const certification = storedCertification.parse(lastCertification)
  return certification?.address === address ? certification : null
}

/** Postgres's JSON has times with an offset. */
const storedCertification = lastCertificationSchema
  .extend({ finished_at: z.coerce.date().transform((at) => at.toISOString()) })
  .nullable()

function otherSecret({ otherSecretId: id, otherSecretState: state, otherSecretSince: since }: ChannelRow) {
  return id === null || state === null || since === null ? null : { id, state, since: since.toISOString() }
}
