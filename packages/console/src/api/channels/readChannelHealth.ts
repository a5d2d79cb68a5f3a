import { implement } from "../implement.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { findChannel } from "./findChannel.ts"
import { readHealth } from "./health/readHealth.ts"

export const readChannelHealth = implement(
  "readChannelHealth",
  async (context, { params: { id }, caller }) => {
    const row = await findChannel(context.prisma, id, caller)
    if (!row) return notFound("channel", id)
    return ok(await readHealth(context, row))
  },
)
