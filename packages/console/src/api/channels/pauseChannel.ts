import { channelSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { changedChannel, channelColumns } from "./channelResponse.ts"
import { lockChannel } from "./findChannel.ts"

export const pauseChannel = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/pause",
  operation: "pauseChannel",
  summary: "Pause a channel",
  allow: { operate: "all" },
  description:
    "Within a second no new attempt starts; attempts in flight end. Deliveries are stored and deferred: they use up no attempt, and the pause does not count towards their retry period. Pausing a paused channel changes nothing.",
  params: idParameter,
  success: { status: 200, description: "The updated channel.", schema: channelSchema },
  async handle({ prisma, sql }, { params: { id }, caller }) {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    // `paused_at` is from Postgres's clock, because it is compared with the times of retry periods.
    await sql(
      "update channel set paused_at = now(), updated_at = now() where id = $1 and paused_at is null",
      [id],
    )
    const row = await prisma.channel.findUniqueOrThrow({ where: { id }, select: channelColumns })
    return changedChannel(found, row, caller)
  },
})
