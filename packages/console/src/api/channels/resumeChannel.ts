import { channelSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { changedChannel, channelColumns } from "./channelResponse.ts"
import { lockChannel } from "./findChannel.ts"

export const resumeChannel = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/resume",
  operation: "resumeChannel",
  summary: "Resume a paused channel",
  allow: { operate: "all" },
  description:
    "Deferred deliveries are sent at once, oldest first: one at a time initially, and more with each success. Resuming a channel that is not paused changes nothing.",
  params: idParameter,
  success: { status: 200, description: "The updated channel.", schema: channelSchema },
  async handle({ prisma, sql }, { params: { id }, caller }) {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    // By Postgres's clock, as the times of deliveries are.
    await sql(
      "update channel set paused_at = null, resumed_at = now(), updated_at = now() where id = $1 and paused_at is not null",
      [id],
    )
    const row = await prisma.channel.findUniqueOrThrow({ where: { id }, select: channelColumns })
    return changedChannel(found, row, caller)
  },
})
