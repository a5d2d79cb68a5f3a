import { channelSchema } from "@sitewire/contracts"
import { notFound, ok } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"
import { byId } from "../pathParameters.ts"
import { channelAnswer, channelColumns } from "./channelResponse.ts"

export const pauseChannel = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/pause",
  operation: "pauseChannel",
  summary: "Hold back a channel's deliveries",
  description:
    "Within a second, no attempt is begun while the channel is paused; one that is under way ends. Deliveries are stored and deferred, none uses up an attempt, and the pause does not count towards their retry period. Pausing twice changes nothing.",
  params: byId,
  success: { status: 200, description: "The channel as it is now.", schema: channelSchema },
  async handle({ prisma, sql }, { params: { id } }) {
    // By Postgres's clock, which times retry periods too. A channel that is paused stays paused since then.
    await sql(
      "update channel set paused_at = now(), updated_at = now() where id = $1 and paused_at is null",
      [id],
    )
    const row = await prisma.channel.findUnique({ where: { id }, select: channelColumns })
    return row ? ok(channelAnswer(row)) : notFound("channel", id)
  },
})
