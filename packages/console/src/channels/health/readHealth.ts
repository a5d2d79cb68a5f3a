import type { ChannelHealth } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { countDeadOf } from "../deadDeliveries.ts"
import { readAttemptStatistics } from "./readAttemptStatistics.ts"
import { readBacklog } from "./readBacklog.ts"
import { readDispatchers } from "./readDispatchers.ts"
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
