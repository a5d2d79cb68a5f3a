import { channelSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { channelColumns, channelResponse } from "./channelResponse.ts"

export const pauseChannel = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/pause",
  operation: "pauseChannel",
  summary: "Pause a channel",
  description:
    "Within a second no new attempt starts; attempts in flight end. Deliveries are stored and deferred: they use up no attempt, and the pause does not count towards their retry period. Pausing a paused channel changes nothing.",
  params: idParameter,
  success: { status: 200, description: "The updated channel.", schema: channelSchema },
  async handle({ prisma, sql }, { params: { id } }) {
    // `paused_at` is from Postgres's clock, because it is compared with the times of retry periods.
    await sql(
      "update channel set paused_at = now(), updated_at = now() where id = $1 and paused_at is null",
      [id],
    )
    const row = await prisma.channel.findUnique({ where: { id }, select: channelColumns })
    return row ? ok(channelResponse(row)) : notFound("channel", id)
  },
})
