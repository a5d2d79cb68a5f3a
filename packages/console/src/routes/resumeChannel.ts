import { channelSchema } from "@sitewire/contracts"
import { notFound, ok } from "../answer.ts"
import { defineRoute } from "../route.ts"
import { byId } from "./byId.ts"
import { channelAnswer, channelColumns } from "./channelAnswer.ts"

export const resumeChannel = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/resume",
  operation: "resumeChannel",
  summary: "Let a paused channel's deliveries go on",
  description:
    "What waited goes out within the shortest retry delay, few at a time at first. Resuming what is not paused changes nothing.",
  params: byId,
  success: { status: 200, description: "The channel as it is now.", schema: channelSchema },
  async handle({ prisma }, { params: { id } }) {
    await prisma.channel.updateMany({ where: { id, pausedAt: { not: null } }, data: { pausedAt: null } })
    const row = await prisma.channel.findUnique({ where: { id }, select: channelColumns })
    return row ? ok(channelAnswer(row)) : notFound("channel", id)
  },
})
