import { type Channel, channelSchema, secretTestSchema } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import { z } from "zod"
import { withoutQuery } from "../../audit/withoutQuery.ts"
import { type Caller, manages, sees } from "../../auth/caller.ts"
import { maskEmails } from "../../deliveries/maskEmails.ts"
import { changesOf, columnsOf, ok, responseOf, type Success } from "../../http/response.ts"
import type { ApiContext } from "../implement.ts"

/** What a response needs: sealed (encrypted) secrets are never read. */
export const channelColumns = {
  ...columnsOf(channelSchema.omit({ other_secret: true })),
  other_secret_id: true,
  other_secret_state: true,
  other_secret_since: true,
  other_secret_test: true,
  contact: { select: { address: true } },
} as const

export type ChannelRow = Prisma.ChannelGetPayload<{ select: typeof channelColumns }>

/** The contact is masked: see `withWholeContact`. */
export function channelResponse(row: ChannelRow, caller: Caller): Channel {
  return responseOf(channelSchema, {
    ...row,
    address: shownAddress(row.id, caller)(row.address),
    other_secret: otherSecret(row),
    contact: row.contact && maskEmails(row.contact.address),
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

/** Null: there is no test of this secret since it has its state, or only at another address. */
export function otherSecretTestOf(row: ChannelRow) {
  const test = storedSecretTest.parse(row.other_secret_test)
  const since = row.other_secret_since?.toISOString()
  if (test === null || since === undefined || test.at < since) return null
  const isThis = test.address === row.address && test.secret_id === row.other_secret_id
  return isThis ? secretTestSchema.parse(test) : null
}

/** Postgres's JSON has times with an offset. */
const storedSecretTest = secretTestSchema
  .extend({
    at: z.coerce.date().transform((at) => at.toISOString()),
    address: z.string(),
    secret_id: z.string(),
  })
  .nullable()

function otherSecret(row: ChannelRow): Channel["other_secret"] {
  const { other_secret_id: id, other_secret_state: state, other_secret_since: since } = row
  if (id === null || state === null || since === null) return null
  return { id, state, since: since.toISOString(), test: otherSecretTestOf(row) }
}

/** Null if the channel does not exist or the API key may not see it. */
export async function findChannel(
  prisma: ApiContext["prisma"],
  id: string,
  caller: Caller,
): Promise<ChannelRow | null> {
  if (!sees(caller.channels, id)) return null
  return prisma.channel.findUnique({ where: { id }, select: channelColumns })
}

/** As `findChannel`, in a transaction. Other transactions cannot change the channel until this one ends. */
export async function lockChannel(
  prisma: ApiContext["prisma"],
  id: string,
  caller: Caller,
): Promise<ChannelRow | null> {
  if (!sees(caller.channels, id)) return null
  await prisma.$queryRaw`select id from channel where id = ${id} for update`
  return findChannel(prisma, id, caller)
}
