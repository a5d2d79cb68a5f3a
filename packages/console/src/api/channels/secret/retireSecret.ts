import { notFound } from "../../../http/problems.ts"
import { implement } from "../../implement.ts"
import { changedChannel } from "../channelResponse.ts"
import { findChannel, lockChannel } from "../findChannel.ts"
import { rotationConflict } from "./rotationConflict.ts"

export const retireSecret = implement(
  "retireSecret",
  async ({ prisma }, { params: { id }, query: { secret_id }, caller }) => {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const { count } = await prisma.channel.updateMany({
      where: { id, other_secret_id: secret_id ?? { not: null } },
      data: {
        other_secret_id: null,
        other_secret_sealed: null,
        other_secret_state: null,
        other_secret_since: null,
      },
    })
    const row = count === 1 ? await findChannel(prisma, id, caller) : null
    if (!row) return rotationConflict(prisma, id, "retire", secret_id)
    return changedChannel(found, row, caller)
  },
)
