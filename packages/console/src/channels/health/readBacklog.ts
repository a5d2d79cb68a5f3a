import type { ChannelHealth, DeferralReason } from "@sitewire/contracts"
import { mostWaitingCounted } from "@sitewire/contracts/partnerMessage"
import type { Sql } from "@sitewire/database"

const deferred = `
select deferred_reason::text as reason, count(*)::int as count, min(deferred_at) as since
  from (select deferred_reason, deferred_at from waiting_delivery
         where channel_id = $1 and deferred_at is not null order by deferred_at limit ${mostWaitingCounted}) as oldest
 group by deferred_reason order by min(deferred_at)`

const scheduled = `
select count(*)::int as count, min(next_attempt_at) as next_attempt_at
  from (select next_attempt_at from waiting_delivery
         where channel_id = $1 and next_attempt_at is not null limit ${mostWaitingCounted}) as found`

export async function readBacklog(
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
