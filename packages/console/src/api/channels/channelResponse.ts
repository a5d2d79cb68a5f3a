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
  secret_id: true,
  other_secret_id: true,
  other_secret_state: true,
  other_secret_since: true,
  standard_webhooks: true,
  send_traceparent: true,
  paused_at: true,
  max_per_second: true,
  operator_notifications: true,
  partner_may_change_address: true,
  contact: { select: { address: true } },
  request_header_names: true,
  request_headers_changed_at: true,
  last_certification: true,
  created_at: true,
  updated_at: true,
} as const

export type ChannelRow = Prisma.ChannelGetPayload<{ select: typeof channelColumns }>

/** The contact is masked: see `withWholeContact`. */
export function channelResponse(row: ChannelRow, caller: Caller): Channel {
  const shown = shownAddress(row.id, caller)
  const last = lastCertificationOf(row)
  return {
    id: row.id,
    address: shown(row.address),
    secret_id: row.secret_id,
    other_secret: otherSecret(row),
    standard_webhooks: row.standard_webhooks,
    request_header_names: row.request_header_names,
    request_headers_changed_at: row.request_headers_changed_at?.toISOString() ?? null,
    send_traceparent: row.send_traceparent,
    paused_at: row.paused_at?.toISOString() ?? null,
    max_per_second: row.max_per_second,
    operator_notifications: row.operator_notifications,
    partner_may_change_address: row.partner_may_change_address,
    contact: row.contact && maskEmails(row.contact.address),
    last_certification: last && { ...last, address: shown(last.address) },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
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
export function lastCertificationOf({ address, last_certification }: ChannelRow) {
  const certification = storedCertification.parse(last_certification)
  return certification?.address === address ? certification : null
}

/** Postgres's JSON has times with an offset. */
const storedCertification = lastCertificationSchema
  .extend({ finished_at: z.coerce.date().transform((at) => at.toISOString()) })
  .nullable()

function otherSecret({
  other_secret_id: id,
  other_secret_state: state,
  other_secret_since: since,
}: ChannelRow) {
  return id === null || state === null || since === null ? null : { id, state, since: since.toISOString() }
}
