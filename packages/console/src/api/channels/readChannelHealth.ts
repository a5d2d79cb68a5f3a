import { readHealth } from "../../channels/health/readHealth.ts"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { findChannel } from "./findChannel.ts"

export const readChannelHealth = implement(
  "readChannelHealth",
  async (context, { params: { id }, caller }) => {
    const row = await findChannel(context.prisma, id, caller)
    if (!row) return notFound("channel", id)
    const health = await readHealth(context, row)
    return ok(caller.channels === "all" ? health : { ...health, dispatchers: null })
  },
)
