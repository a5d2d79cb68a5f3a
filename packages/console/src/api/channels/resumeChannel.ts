import { channelSchema } from "@sitewire/contracts"
import { notFound, ok } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"
import { byId } from "../pathParameters.ts"
import { channelAnswer, channelColumns } from "./channelResponse.ts"

export const resumeChannel = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/resume",
  operation: "resumeChannel",
  summary: "Let a paused channel's deliveries go on",
  description:
    "Deferred deliveries are sent at once, oldest first, one at a time at first and faster with each success. Resuming what is not paused changes nothing.",
  params: byId,
  success: { status: 200, description: "The channel as it is now.", schema: channelSchema },
  async handle({ prisma, sql }, { params: { id } }) {
    // By Postgres's clock, which times retry periods too.
    await sql(
      "update channel set paused_at = null, resumed_at = now(), updated_at = now() where id = $1 and paused_at is not null",
      [id],
    )
    const row = await prisma.channel.findUnique({ where: { id }, select: channelColumns })
    return row ? ok(channelAnswer(row)) : notFound("channel", id)
  },
})
