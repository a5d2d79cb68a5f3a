import { notFound } from "../../http/problems.ts"
import { implement } from "../implement.ts"
import { changedChannel, channelColumns, lockChannel } from "./channelResponse.ts"

// By Postgres's clock, because the times are compared with those of deliveries and of retry periods.
const pause = "update channel set paused_at = now(), updated_at = now() where id = $1 and paused_at is null"
const resume =
  "update channel set paused_at = null, resumed_at = now(), updated_at = now() where id = $1 and paused_at is not null"

export const pauseChannel = changeBy("pauseChannel", pause)
export const resumeChannel = changeBy("resumeChannel", resume)

function changeBy(operation: "pauseChannel" | "resumeChannel", statement: string) {
  return implement(operation, async ({ prisma, sql }, { params: { id }, caller }) => {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    await sql(statement, [id])
    const row = await prisma.channel.findUniqueOrThrow({ where: { id }, select: channelColumns })
    return changedChannel(found, row, caller)
  })
}
