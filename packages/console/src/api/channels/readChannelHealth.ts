import { channelHealthSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { findChannel } from "./findChannel.ts"
import { readAttemptStatistics } from "./health/readAttemptStatistics.ts"
import { readBacklog } from "./health/readBacklog.ts"
import { readDispatchers } from "./health/readDispatchers.ts"
import { readLastDelivered } from "./health/readLastDelivered.ts"

export const readChannelHealth = defineRoute({
  method: "get",
  path: "/v1/channels/{id}/health",
  operation: "readChannelHealth",
  summary: "Read how deliveries to a channel go",
  allow: ["read", "channel"],
  description:
    "The circuit breaker and concurrency in each running dispatcher, what waits and why, the success rate and latency in the last hour and day, and the last success and failure.",
  params: idParameter,
  success: { status: 200, description: "The channel's health.", schema: channelHealthSchema },
  async handle({ prisma, sql }, { params: { id }, caller }) {
    const row = await findChannel(prisma, id, caller)
    if (!row) return notFound("channel", id)
    const [{ failing, dispatchers }, backlog, hour, day] = [
      await readDispatchers(sql, id),
      await readBacklog(sql, id),
      await readAttemptStatistics(sql, id, { hours: 1 }),
      await readAttemptStatistics(sql, id, { hours: 24 }),
    ]
    const last = day.statistics ? day : hour
    return ok({
      channel: id,
      health: failing ? ("failing" as const) : ("ok" as const),
      paused_at: row.pausedAt?.toISOString() ?? null,
      max_per_second: row.maxPerSecond,
      dispatchers,
      ...backlog,
      last_hour: hour.statistics,
      last_day: day.statistics,
      last_success: last.lastSuccess ?? (await readLastDelivered(sql, id)),
      last_failure: last.lastFailure,
    })
  },
})
