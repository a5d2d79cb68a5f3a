import { channelSchema } from "@sitewire/contracts"
import { notFound, ok } from "../answer.ts"
import { defineRoute } from "../route.ts"
import { byId } from "./byId.ts"
import { channelAnswer, channelColumns } from "./channelAnswer.ts"

export const pauseChannel = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/pause",
  operation: "pauseChannel",
  summary: "Hold back a channel's deliveries",
  description:
    "No attempt is begun while the channel is paused; one that is under way ends, and so does one that already waits for its place in flight, a second at most. Deliveries are stored and stay pending, none uses up an attempt, and their retry period waits with them. Pausing twice changes nothing.",
  params: byId,
  success: { status: 200, description: "The channel as it is now.", schema: channelSchema },
  async handle({ prisma }, { params: { id } }) {
    // A channel that is paused stays paused since then.
    await prisma.channel.updateMany({ where: { id, pausedAt: null }, data: { pausedAt: new Date() } })
    const row = await prisma.channel.findUnique({ where: { id }, select: channelColumns })
    return row ? ok(channelAnswer(row)) : notFound("channel", id)
  },
})
