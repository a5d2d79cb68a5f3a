import { notFound } from "../../http/problems.ts"
import { implement } from "../implement.ts"
import { changedChannel, channelColumns, lockChannel } from "./channelResponse.ts"

export const pauseChannel = implement("pauseChannel", async ({ prisma, sql }, { params: { id }, caller }) => {
  const found = await lockChannel(prisma, id, caller)
  if (!found) return notFound("channel", id)
  // `paused_at` is from Postgres's clock, because it is compared with the times of retry periods.
  await sql("update channel set paused_at = now(), updated_at = now() where id = $1 and paused_at is null", [
    id,
  ])
  const row = await prisma.channel.findUniqueOrThrow({ where: { id }, select: channelColumns })
  return changedChannel(found, row, caller)
})

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
