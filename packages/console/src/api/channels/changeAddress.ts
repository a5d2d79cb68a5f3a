import { type ChallengeReport, type Channel, challengeReportSchema } from "@sitewire/contracts"
import { z } from "zod"
import { type Caller, nameOf } from "../../auth/caller.ts"
import { invalidField, notFound, problem } from "../../http/problems.ts"
import { changesOf, ok, type Problem, type Success } from "../../http/response.ts"
import { newId } from "../../newIds.ts"
import { checkChannelAddress } from "../checkAddress.ts"
import { type ApiContext, implement } from "../implement.ts"
import {
  type ChannelRow,
  changedChannel,
  channelColumns,
  channelResponse,
  lockChannel,
} from "./channelResponse.ts"
import { checkRunning, waitForCheck } from "./checks.ts"

/** How long an answered challenge allows the change, if the console ended before it. */
const validMs = 15 * 60_000

export const changeAddress = implement(
  "changeAddress",
  async (context, { params: { id }, body, caller }) => {
    const { prisma } = context
    const channel = await lockChannel(prisma, id, caller)
    if (!channel) return notFound("channel", id)
    const rejected = rejectPartner(caller, channel)
    if (rejected) return rejected
    const address = checkChannelAddress(context, body.address, channel.partner_may_change_address)
    if (address.kind === "problem") return address
    const refused =
      rejectHeaders(channel, address.href) ??
      (await checkRunning(prisma, { channel_id: id }, "address_change")) ??
      (await rejectMany(prisma, id))
    if (refused) return refused
    const { id: check } = await prisma.receiverCheck.create({
      data: {
        id: newId("tst"),
        channel_id: id,
        kind: "address_change",
        address: address.href,
        requested_by: nameOf(caller),
      },
      select: { id: true },
    })
    const version = channel.updated_at.toISOString()
    return ok({ channel: id, check, version } satisfies z.input<typeof committedSchema>, {
      audit: { target: { kind: "channel", id }, changes: changesOf({}, { challenged: address.href }) },
    })
  },
  async ({ prisma }, committed, write) => {
    const { channel, check, version } = committedSchema.parse(committed)
    const ended = await waitForCheck(prisma, check)
    if (ended.kind === "problem") return ended
    const { error, status } = challengeReportSchema.parse(ended.report)
    if (error !== null) return problem("address-not-confirmed", describe(error, status))
    const isValid = ended.finished_at.getTime() > Date.now() - validMs
    const change = { id: channel, address: ended.address, version: isValid ? version : null }
    return write((within, caller) => setAddress(within, caller, change))
  },
)

const committedSchema = z.object({
  channel: z.string(),
  check: z.string(),
  /** `updated_at` of the channel that the caller wanted to change. */
  version: z.string(),
})

async function setAddress(
  { prisma }: ApiContext,
  caller: Caller,
  { id, address, version }: { id: string; address: string; version: string | null },
): Promise<Success<Channel> | Problem> {
  const found = await lockChannel(prisma, id, caller)
  if (!found) return notFound("channel", id)
  // Of a repeated Idempotency-Key.
  if (found.address === address) return ok(channelResponse(found, caller))
  const rejected = rejectPartner(caller, found)
  if (rejected) return rejected
  if (found.updated_at.toISOString() !== version) return problem("address-not-confirmed", outdated)
  const row = await prisma.channel.update({ where: { id }, data: { address }, select: channelColumns })
  // The challenge was a test that passed.
  await prisma.channelFailure.updateMany({
    where: { channel_id: id, ended_at: null },
    data: { ended_at: new Date() },
  })
  return changedChannel(found, row, caller)
}

function rejectPartner(caller: Caller, { partner_may_change_address }: ChannelRow): Problem | null {
  if (caller.channels === "all" || partner_may_change_address) return null
  return problem(
    "missing-scope",
    "The operator has not allowed partners to change this channel's address. Ask the operator to change it, or to set partner_may_change_address.",
  )
}

/** As in checkHeadersOrigin: headers are sent to the origin for which they were given. */
function rejectHeaders({ address, request_header_names }: ChannelRow, to: string): Problem | null {
  if (request_header_names.length === 0 || new URL(address).origin === new URL(to).origin) return null
  const message =
    "address has another scheme, host or port, to which the channel's request headers would be sent. Remove them before, or ask the operator, who can change both at once"
  return invalidField("body", "address", message)
}

type Fault = NonNullable<ChallengeReport["error"]>

/** The status and what went wrong, and nothing that the server at the address has sent. */
function describe(fault: Fault, status: number | null): string {
  const what = fault === "status" ? `responded ${status}, which is not 2xx` : faults[fault]
  return `The receiver at the new address ${what}. The address is as before. Correct this, and send the request again.`
}

const faults: Record<Exclude<Fault, "status">, string> = {
  "not-returned":
    "responded 2xx, but did not return the value of the header X-Sitewire-Challenge in the same header of its response",
  timeout: "did not respond in time",
  dns: "was not called, because its name could not be resolved",
  connect: "accepted no connection",
  tls: "accepted no TLS connection with a valid certificate",
  reset: "closed the connection without a response",
  protocol: "did not respond in HTTP",
  "blocked-address": "was not called, because its name leads to an address that is not public",
}

const outdated =
  "The receiver answered the challenge, but the channel was changed meanwhile, or the answer is older than 15 minutes. Read the channel, and send the request again."

const minuteMs = 60_000
/** Otherwise a key could have a dispatcher call many addresses. */
const limits = [
  { most: 5, withinMs: minuteMs, span: "a minute" },
  { most: 50, withinMs: 24 * 60 * minuteMs, span: "a day" },
]

/** A problem if the address of the channel, which is locked, was to be changed as often as it may be. */
async function rejectMany(prisma: ApiContext["prisma"], channelId: string): Promise<Problem | null> {
  for (const { most, withinMs, span } of limits) {
    const oldest = await prisma.receiverCheck.findFirst({
      where: {
        channel_id: channelId,
        kind: "address_change",
        created_at: { gt: new Date(Date.now() - withinMs) },
      },
      orderBy: { created_at: "desc" },
      skip: most - 1,
      select: { created_at: true },
    })
    if (!oldest) continue
    const retryAfterSeconds = Math.ceil((oldest.created_at.getTime() + withinMs - Date.now()) / 1_000)
    const detail = `The address of this channel may be changed ${most} times in ${span}, attempts included. Try again in ${retryAfterSeconds} seconds.`
    return { ...problem("too-many-address-changes", detail), retryAfterSeconds }
  }
  return null
}
