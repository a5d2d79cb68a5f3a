import {
  type AttemptStatistics,
  type ChannelHealth,
  channelHealthSchema,
  type DeferralReason,
} from "@sitewire/contracts"
import { mostWaitingCounted } from "@sitewire/contracts/partnerMessage"
import type { Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { responseOf } from "../http/response.ts"
import { dayMs, hourMs, minuteMs } from "../statistics/countMinute.ts"
import { quantile } from "../statistics/latency.ts"
import { addUp, floorTo, type Point, readPoints, readPosition } from "../statistics/readPoints.ts"
import { countDeadOf, dispatcherIsRunning, isListed } from "./deadDeliveries.ts"
import { readLastAttempts } from "./readLastAttempts.ts"

export type ChannelOfHealth = Pick<Prisma.ChannelModel, "id" | "paused_at" | "max_per_second" | "created_at">

export async function readHealth(
  { sql, retryPeriodMs }: { sql: Sql; retryPeriodMs: number },
  { id, paused_at, max_per_second, created_at }: ChannelOfHealth,
): Promise<ChannelHealth> {
  const { failingSince, dispatchers } = await readDispatchers(sql, id)
  return {
    channel: id,
    health: failingSince ? "failing" : "ok",
    failing_since: failingSince?.toISOString() ?? null,
    paused_at: paused_at?.toISOString() ?? null,
    max_per_second,
    dispatchers,
    ...(await readBacklog(sql, id)),
    dead: await countDeadOf(sql, id),
    retry_period_ms: retryPeriodMs,
    ...(await readAttemptStatistics(sql, id, created_at)),
    ...(await readLastAttempts(sql, id, created_at)),
  }
}

const deferred = `
select deferred_reason::text as reason, count(*)::int as count, min(deferred_at) as since
  from (select deferred_reason, deferred_at from waiting_delivery
         where channel_id = $1 and deferred_at is not null order by deferred_at limit ${mostWaitingCounted}) as oldest
 group by deferred_reason order by min(deferred_at)`

const scheduled = `
select count(*)::int as count, min(next_attempt_at) as next_attempt_at
  from (select next_attempt_at from waiting_delivery
         where channel_id = $1 and next_attempt_at is not null limit ${mostWaitingCounted}) as found`

async function readBacklog(
  sql: Sql,
  channel: string,
): Promise<Pick<ChannelHealth, "deferred" | "scheduled">> {
  const rows = await sql<{ reason: DeferralReason; count: number; since: Date }>(deferred, [channel])
  const [row] = await sql<{ count: number; next_attempt_at: Date | null }>(scheduled, [channel])
  return {
    deferred: rows.map(({ reason, count, since }) => ({ reason, count, since: since.toISOString() })),
    scheduled: { count: row?.count ?? 0, next_attempt_at: row?.next_attempt_at?.toISOString() ?? null },
  }
}

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

type Status = Pick<
  Prisma.ChannelStatusModel,
  "breaker_opened_at" | "failures" | "concurrency_limit" | "in_flight" | "average_ms"
>
type Row = Pick<Prisma.DispatcherModel, "id" | "seen_at"> & { [Name in keyof Status]: Status[Name] | null }

const dispatcherSchema = channelHealthSchema.shape.dispatchers.unwrap().element

// A dispatcher without a row for the channel reports nothing unusual about it.
const statement = `
select id, seen_at, breaker_opened_at, failures, concurrency_limit, in_flight, average_ms
  from dispatcher left join channel_status on dispatcher_id = dispatcher.id and channel_id = $1
 where ${dispatcherIsRunning} order by id`

async function readDispatchers(
  sql: Sql,
  channel: string,
): Promise<{ failingSince: Date | null; dispatchers: ChannelHealth["dispatchers"] }> {
  const rows = await sql<Row>(statement, [channel])
  const [found] = await sql<{ since: Date }>(
    `select since from channel_failure where channel_id = $1 and ${isListed}`,
    [channel],
  )
  return {
    failingSince: found?.since ?? null,
    dispatchers: rows.map((row) => {
      const breaker = row.breaker_opened_at === null ? "closed" : "open"
      return responseOf(dispatcherSchema, { ...row, breaker, updated_at: row.seen_at })
    }),
  }
}
