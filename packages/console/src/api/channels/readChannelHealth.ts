import { channelHealthSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { countDeadOf } from "./deadDeliveries.ts"
import { findChannel } from "./findChannel.ts"
import { readAttemptStatistics } from "./health/readAttemptStatistics.ts"
import { readBacklog } from "./health/readBacklog.ts"
import { readDispatchers } from "./health/readDispatchers.ts"
import { readLastAttempts } from "./health/readLastAttempts.ts"

export const readChannelHealth = defineRoute({
  method: "get",
  path: "/v1/channels/{id}/health",
  operation: "readChannelHealth",
  summary: "Read how deliveries to a channel go",
  allow: { read: "all", channel: "own" },
  description:
    "The circuit breaker and concurrency in each running dispatcher, what waits and why, what is dead, the success rate and latency in the last hour and day, and the last success and failure.",
  expensive: true,
  params: idParameter,
  success: { status: 200, description: "The channel's health.", schema: channelHealthSchema },
  async handle({ prisma, sql }, { params: { id }, caller }) {
    const row = await findChannel(prisma, id, caller)
    if (!row) return notFound("channel", id)
    const { failing, dispatchers } = await readDispatchers(sql, id)
    return ok({
      channel: id,
      health: failing ? ("failing" as const) : ("ok" as const),
      paused_at: row.pausedAt?.toISOString() ?? null,
      max_per_second: row.maxPerSecond,
      dispatchers,
      ...(await readBacklog(sql, id)),
      dead: await countDeadOf(sql, id),
      ...(await readAttemptStatistics(sql, id, row.createdAt)),
      ...(await readLastAttempts(sql, id, row.createdAt)),
    })
  },
})
