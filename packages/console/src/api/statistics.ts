import {
  attemptOutcomeSchema,
  deferralReasonSchema,
  maxStatisticPoints,
  type Statistics,
  statisticsKeptMs,
  syncSchema,
} from "@sitewire/contracts"
import { countAllDead } from "../channels/deadDeliveries.ts"
import { invalidField, notFound } from "../http/problems.ts"
import { ok } from "../http/response.ts"
import { minuteMs } from "../statistics/countMinute.ts"
import { quantile } from "../statistics/latency.ts"
import {
  addUp,
  type Counts,
  floorTo,
  type Point,
  readDeferred,
  readPoints,
  readPosition,
} from "../statistics/readPoints.ts"
import { findChannel } from "./channels/channelResponse.ts"
import { implement } from "./implement.ts"

const defaultPoints = 60

export const readStatistics = implement("readStatistics", async ({ prisma, sql }, { query, caller }) => {
  const { merge, channel } = query
  if (channel === undefined && caller.channels !== "all") {
    const message = "channel is required, because the API key may not see all channels"
    return invalidField("query", "channel", message)
  }
  const now = Date.now()
  const length = merge * minuteMs
  const oldest = floorTo(now - statisticsKeptMs, length)
  const to = ceilTo(query.created_before === undefined ? now : Date.parse(query.created_before), minuteMs)
  const from =
    query.created_after === undefined
      ? Math.max(oldest, floorTo(to, length) - defaultPoints * length)
      : ceilTo(Date.parse(query.created_after), minuteMs)
  if (from < oldest) {
    const message =
      "created_after must be at most 7 days ago, because minutes are kept so long. Read longer ranges in Prometheus"
    return invalidField("query", "created_after", message)
  }
  if (to - from > maxStatisticPoints * length) {
    const message = `created_after and created_before must not be more than ${maxStatisticPoints} points (of ${merge} min each) apart`
    return invalidField("query", "created_after", message)
  }
  if (channel !== undefined && !(await findChannel(prisma, channel, caller)))
    return notFound("channel", channel)
  const position = await readPosition(sql)
  const points = await readPoints(sql, { merge, channel: channel ?? "", from, to })
  const isTotal = channel === undefined
  const deferred = await readDeferred(sql, channel ?? "", position)
  return ok({
    channel: channel ?? null,
    counted_before: position.counted_through.toISOString(),
    deferred: deferred && {
      counted_at: deferred.countedAt.toISOString(),
      by_reason: complete(deferralReasonSchema.options, deferred.byReason),
    },
    dead: isTotal ? await countAllDead(sql) : null,
    total: totalResponse(addUp(points), isTotal),
    data: points.map((point) => ({
      started_at: new Date(point.startedAt).toISOString(),
      ...totalResponse(point, isTotal),
    })),
  })
})

function totalResponse(point: Point, isTotal: boolean): Statistics["total"] {
  const p50 = quantile(point.latency, 0.5)
  const p99 = quantile(point.latency, 0.99)
  return {
    deliveries: point.deliveries,
    attempts: complete(attemptOutcomeSchema.options, point.attempts),
    latency_ms: p50 === null || p99 === null ? null : { p50, p99 },
    triggers: isTotal ? point.triggers : null,
    syncs: isTotal ? complete(syncSchema.shape.outcome.options, point.syncs) : null,
  }
}

/** All keys, those without a count with 0. */
function complete<Key extends string>(keys: readonly Key[], counts: Counts): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, counts[key] ?? 0])) as Record<Key, number>
}

function ceilTo(ms: number, length: number): number {
  return floorTo(ms + length - 1, length)
}
