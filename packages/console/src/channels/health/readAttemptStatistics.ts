import type { AttemptStatistics, ChannelHealth } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { minuteMs } from "../../statistics/countMinute.ts"
import { dayMs, hourMs } from "../../statistics/countNextMinute.ts"
import { quantile } from "../../statistics/latency.ts"
import { addUp, floorTo, type Point, readPoints, readPosition } from "../../statistics/readPoints.ts"

/** From the counted minutes, because a day can have millions of attempts. `since`: when the channel was created. */
export async function readAttemptStatistics(
  sql: Sql,
  channel: string,
  since: Date,
): Promise<Pick<ChannelHealth, "counted_before" | "last_hour" | "last_day">> {
  const position = await readPosition(sql)
  const to = position.counted_through.getTime()
  // A channel with the id of a deleted one may belong to another partner.
  const from = Math.max(to - dayMs, floorTo(since.getTime(), minuteMs))
  const points = await readPoints(sql, { merge: 1, channel, from, to })
  return {
    counted_before: position.counted_through.toISOString(),
    last_hour: sumOf(points.filter(({ startedAt }) => startedAt >= to - hourMs)),
    last_day: sumOf(points),
  }
}

function sumOf(points: readonly Point[]): AttemptStatistics {
  const { attempts: outcomes, latency } = addUp(points)
  const { delivered: succeeded = 0, ...failed } = outcomes
  const attempts = Object.values(failed).reduce((sum, count) => sum + count, succeeded)
  return {
    attempts,
    succeeded,
    success_rate: attempts === 0 ? null : succeeded / attempts,
    latency_p50_ms: quantile(latency, 0.5),
    latency_p99_ms: quantile(latency, 0.99),
  }
}
