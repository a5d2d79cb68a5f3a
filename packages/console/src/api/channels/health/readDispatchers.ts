import type { ChannelHealth } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { dispatcherIsRunning, isFailing } from "../failingChannels.ts"

type Row = {
  id: string
  seen_at: Date
  breaker_opened_at: Date | null
  failures: number | null
  concurrency_limit: number | null
  in_flight: number | null
  average_ms: number | null
}

// A dispatcher without a row for the channel reports nothing unusual about it.
const statement = `
select id, seen_at, breaker_opened_at, failures, concurrency_limit, in_flight, average_ms
  from dispatcher left join channel_status on dispatcher_id = dispatcher.id and channel_id = $1
 where ${dispatcherIsRunning} order by id`

export async function readDispatchers(
  sql: Sql,
  channel: string,
): Promise<{ failing: boolean; dispatchers: ChannelHealth["dispatchers"] }> {
  const rows = await sql<Row>(statement, [channel])
  const [found] = await sql<{ failing: boolean }>(`select ${isFailing("$1")} as failing`, [channel])
  return {
    failing: found?.failing ?? false,
    dispatchers: rows.map((row) => ({
      id: row.id,
      breaker: row.breaker_opened_at === null ? "closed" : "open",
      breaker_opened_at: row.breaker_opened_at?.toISOString() ?? null,
      failures: row.failures,
      concurrency_limit: row.concurrency_limit,
      in_flight: row.in_flight,
      average_ms: row.average_ms,
      updated_at: row.seen_at.toISOString(),
    })),
  }
}
