import { notFound } from "../../http/problems.ts"
import { implement } from "../implement.ts"
import { changedChannel, channelColumns } from "./channelResponse.ts"
import { lockChannel } from "./findChannel.ts"

export const resumeChannel = implement(
  "resumeChannel",
  async ({ prisma, sql }, { params: { id }, caller }) => {
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
)
