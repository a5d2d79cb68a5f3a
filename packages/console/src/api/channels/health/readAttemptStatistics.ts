import type { AttemptStatistics, ChannelHealth } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { errorClass } from "../../deliveries/deliveryResponse.ts"

/** How many attempts of all channels are read at most, so that the response takes a few seconds at most. */
const mostAttempts = 500_000

type LastAttempt = {
  delivery_id: string
  started_ms: number
  status: number | null
  error: string | null
  detail: string | null
}

type Row = {
  scanned: number
  attempts: number
  succeeded: number
  p50: number | null
  p99: number | null
  last_success: LastAttempt | null
  last_failure: LastAttempt | null
}

const last = (condition: string) => `(
  select jsonb_build_object('delivery_id', delivery_id, 'started_ms', extract(epoch from started_at) * 1000,
                            'status', status, 'error', error, 'detail', detail)
    from own where ${condition} order by started_at desc limit 1)`

// The attempts of the time are found by the BRIN index, and those of the channel by one index lookup each. With `limit`,
// the plan cannot read all deliveries of the channel instead.
const statement = `
with recent as materialized (
  select delivery_id, started_at, duration_ms, status, error, detail
    from attempt where started_at >= now() - $2::int * interval '1 hour' limit ${mostAttempts + 1}
), own as materialized (
  select recent.* from recent
   cross join lateral (select from delivery where id = recent.delivery_id and channel_id = $1 limit 1) as of_channel
   where (select count(*) from recent) <= ${mostAttempts}
)
select (select count(*)::int from recent) as scanned,
       count(*)::int as attempts, count(*) filter (where error is null)::int as succeeded,
       percentile_cont(0.5) within group (order by duration_ms) as p50,
       percentile_cont(0.99) within group (order by duration_ms) as p99,
       ${last("error is null")} as last_success, ${last("error is not null")} as last_failure
  from own`

/** `statistics` is null if there are too many attempts. */
export async function readAttemptStatistics(
  sql: Sql,
  channel: string,
  { hours }: { hours: number },
): Promise<{
  statistics: AttemptStatistics | null
  lastSuccess: ChannelHealth["last_success"]
  lastFailure: ChannelHealth["last_failure"]
}> {
  const [row] = await sql<Row>(statement, [channel, hours])
  if (!row || row.scanned > mostAttempts) return { statistics: null, lastSuccess: null, lastFailure: null }
  const { attempts, succeeded, last_success: success, last_failure: failure } = row
  return {
    statistics: {
      attempts,
      succeeded,
      success_rate: attempts === 0 ? null : succeeded / attempts,
      latency_p50_ms: row.p50,
      latency_p99_ms: row.p99,
    },
    lastSuccess: success && lastAttempt(success),
    lastFailure: failure && {
      ...lastAttempt(failure),
      error: errorClass(failure.error ?? ""),
      detail: failure.detail,
    },
  }
}

function lastAttempt({ delivery_id, started_ms, status }: LastAttempt) {
  return { delivery: delivery_id, at: new Date(started_ms).toISOString(), status }
}
