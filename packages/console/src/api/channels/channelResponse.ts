import { type Channel, channelSchema, lastCertificationSchema } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import { z } from "zod"
import { type Caller, manages } from "../../auth/caller.ts"
import { maskEmails } from "../deliveries/maskEmails.ts"
import { changesOf, ok, type Success } from "../response.ts"
import { columnsOf, responseOf } from "../responseOf.ts"
import { withoutQuery } from "../withoutQuery.ts"

/** What a response needs: sealed (encrypted) secrets are never read. */
export const channelColumns = {
  ...columnsOf(channelSchema.omit({ other_secret: true })),
  other_secret_id: true,
  other_secret_state: true,
  other_secret_since: true,
  contact: { select: { address: true } },
} as const

export type ChannelRow = Prisma.ChannelGetPayload<{ select: typeof channelColumns }>

/** The contact is masked: see `withWholeContact`. */
export function channelResponse(row: ChannelRow, caller: Caller): Channel {
  const shown = shownAddress(row.id, caller)
  const last = lastCertificationOf(row)
  return responseOf(channelSchema, {
    ...row,
    address: shown(row.address),
    other_secret: otherSecret(row),
    contact: row.contact && maskEmails(row.contact.address),
    last_certification: last && { ...last, address: shown(last.address) },
  })
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
