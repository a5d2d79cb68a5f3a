import type { ChangeChannel } from "@sitewire/contracts"
import { sealContexts } from "@sitewire/database"
import type { Caller } from "../../auth/caller.ts"
import { notFound, problem } from "../../http/problems.ts"
import { changesOf, given, ok, type Problem } from "../../http/response.ts"
import { checkChannelAddress, checkHeadersOrigin, requestHeaderColumns } from "../checkAddress.ts"
import { checkIfMatch, etagOf } from "../etag.ts"
import { implement } from "../implement.ts"
import { channelColumns, channelResponse, lockChannel } from "./channelResponse.ts"
import { auditedContact, rejectContact, storeContact, withWholeContact } from "./contact.ts"

export const changeChannel = implement(
  "changeChannel",
  async (context, { params: { id }, body, headers, caller }) => {
    const { prisma, sealingKeys } = context
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const rejected = rejectOperatorsFields(caller, body) ?? rejectContact(context, body)
    if (rejected) return rejected
    const before = withWholeContact(channelResponse(found, caller), found, caller)
    const mismatch = checkIfMatch(headers["if-match"], etagOf(before))
    if (mismatch) return mismatch
    const { request_headers, contact, ...columns } = body
    const data = given(columns)
    if (body.address !== undefined || body.partner_may_change_address === true) {
      const partnerMayChange = body.partner_may_change_address ?? found.partner_may_change_address
      const address = checkChannelAddress(context, body.address ?? found.address, partnerMayChange)
      if (address.kind === "problem") return address
      const addresses = { from: found.address, to: address.href }
      const unsafe = checkHeadersOrigin(found.request_header_names, request_headers, addresses)
      if (unsafe) return unsafe
      data.address = address.href
    }
    if (request_headers !== undefined) {
      const context = sealContexts.receiverHeaders(id)
      Object.assign(data, requestHeaderColumns(sealingKeys, context, request_headers))
    }
    if (data.address !== undefined && data.address !== found.address)
      await context.sql(endFailure, [id, data.address])
    if (contact !== undefined) {
      await storeContact(context, id, contact)
      Object.assign(data, { updated_at: new Date() })
    }
    const row = await prisma.channel.update({ where: { id }, data, select: channelColumns })
    const after = withWholeContact(channelResponse(row, caller), row, caller)
    const changes = {
      ...changesOf(before, after),
      ...(contact !== undefined && {
        contact: { old: auditedContact(before), new: auditedContact(after) },
      }),
    }
    return ok(after, {
      headers: { etag: etagOf(after) },
      audit: { target: { kind: "channel", id }, changes },
    })
  },
)

/** If a test of the new address has passed just before. */
const endFailure = `
update channel_failure set ended_at = now()
 where channel_id = $1 and ended_at is null
   and (select report #>> '{attempt,error}' is null from receiver_check
         where channel_id = $1 and kind = 'test' and address = $2 and state = 'done' and created_at > now() - interval '15 minutes'
           and created_at > last_failed_at
         order by created_at desc limit 1)`

/** What a partner decides itself: how its own receiver knows that a request is genuine, and who is told of its failures. */
const partnersFields: readonly string[] = ["standard_webhooks", "request_headers", "contact"]

function rejectOperatorsFields(caller: Caller, body: ChangeChannel): Problem | null {
  const others = Object.keys(body).filter((name) => !partnersFields.includes(name))
  if (caller.channels === "all" || others.length === 0) return null
  return problem(
    "missing-scope",
    `The API key may change only ${partnersFields.join(", ")} of its channel. ${others.join(" and ")} needs the scope operate.`,
  )
}
