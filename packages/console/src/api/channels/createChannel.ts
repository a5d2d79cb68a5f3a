import { newSecret } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { standardWebhooksSecret } from "@sitewire/signing/sender"
import { idTaken, problem } from "../../http/problems.ts"
import { changesOf, given, ok } from "../../http/response.ts"
import { newId } from "../../newIds.ts"
import { checkChannelAddress, requestHeaderColumns } from "../checkAddress.ts"
import { isUniqueViolation } from "../databaseErrors.ts"
import { implement } from "../implement.ts"
import { channelColumns, channelResponse } from "./channelResponse.ts"
import { auditedContact, rejectContact, storeContact } from "./contact.ts"

export const createChannel = implement("createChannel", async (context, { body, caller }) => {
  const { prisma, sealingKeys } = context
  const rejected = rejectContact(context, body)
  if (rejected) return rejected
  const address = checkChannelAddress(context, body.address, body.partner_may_change_address ?? false)
  if (address.kind === "problem") return address
  const { id = newId("chn"), request_headers, contact: givenContact = null, ...columns } = body
  const secret_id = newId("sec")
  const secret = newSecret("sws")
  const sealed = seal(sealingKeys, sealContexts.signingSecret(id, secret_id), secret)
  const headers =
    request_headers && requestHeaderColumns(sealingKeys, sealContexts.receiverHeaders(id), request_headers)
  try {
    const row = await prisma.channel.create({
      data: {
        ...given(columns),
        id,
        address: address.href,
        secret_id,
        secret_sealed: sealed,
        ...headers,
      },
      select: channelColumns,
    })
    // Checked after the insert, which waits for a deletion of the same id that has not been committed.
    if (await prisma.deletedChannel.findUnique({ where: { id } })) return wasDeleted(id)
    const contact = givenContact === null ? null : { address: givenContact }
    if (contact) await storeContact(context, id, contact.address)
    const channel = channelResponse({ ...row, contact }, caller)
    const { address: stored, standard_webhooks, request_header_names } = channel
    const changes = changesOf(
      {},
      {
        ...given(columns),
        address: stored,
        secret_id,
        standard_webhooks,
        ...(request_header_names.length > 0 ? { request_header_names } : {}),
        ...(contact ? { contact: auditedContact(channel) } : {}),
      },
    )
    return ok(
      {
        ...channel,
        signing_secret: secret,
        standard_webhooks_secret: standardWebhooksSecret(secret),
      },
      {
        headers: { location: `/v1/channels/${id}` },
        audit: { target: { kind: "channel", id }, changes },
      },
    )
  } catch (error) {
    if (isUniqueViolation(error)) return idTaken("channel", id)
    throw error
  }
})

function wasDeleted(id: string) {
  return problem(
    "id-taken",
    `The id "${id}" was that of a channel that was deleted. It is not used again, because the deliveries, statistics and audit entries of that channel have it. Choose another id.`,
  )
}
