import { changeChannelSchema, channelSchema } from "@sitewire/contracts"
import { checkAddress } from "../checkAddress.ts"
import { defineRoute } from "../defineRoute.ts"
import { checkIfMatch, etagOf } from "../etag.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { channelColumns, channelResponse } from "./channelResponse.ts"
import { lockChannel } from "./findChannel.ts"

export const changeChannel = defineRoute({
  method: "patch",
  path: "/v1/channels/{id}",
  operation: "changeChannel",
  summary: "Change a channel's address, headers or maximum rate",
  allow: ["operate"],
  description: "Takes effect at once, also for existing deliveries that wait for their next attempt.",
  params: idParameter,
  body: changeChannelSchema,
  otherResponses: { 412: "The channel has changed since the version in If-Match." },
  success: { status: 200, description: "The updated channel.", schema: channelSchema },
  async handle({ prisma, addressPolicy }, { params: { id }, body, headers, caller }) {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const before = channelResponse(found)
    const mismatch = checkIfMatch(headers["if-match"], etagOf(before))
    if (mismatch) return mismatch
    const data: {
      address?: string
      standardWebhooks?: boolean
      sendTraceparent?: boolean
      maxPerSecond?: number | null
      operatorNotifications?: boolean
    } = {}
    if (body.address !== undefined) {
      const address = checkAddress("address", body.address, addressPolicy)
      if (address.kind === "problem") return address
      data.address = address.href
    }
    if (body.standard_webhooks !== undefined) data.standardWebhooks = body.standard_webhooks
    if (body.send_traceparent !== undefined) data.sendTraceparent = body.send_traceparent
    if (body.max_per_second !== undefined) data.maxPerSecond = body.max_per_second
    if (body.operator_notifications !== undefined) data.operatorNotifications = body.operator_notifications
    const row = await prisma.channel.update({ where: { id }, data, select: channelColumns })
    const after = channelResponse(row)
    return ok(after, {
      headers: { etag: etagOf(after) },
      audit: { target: { kind: "channel", id }, changes: changesOf(before, after) },
    })
  },
})
