import { type Columns, columnValues, defineStatement, type Sql, unnestColumns } from "@sitewire/database"
import { elapsedTime } from "./unreachable.ts"
import { endWaiting, isFree } from "./waiting.ts"

type Expired = {
  delivery: string
  channel: string
  correlation: string
  /** False: it was delivered before, and waited for a resend. It stays delivered. */
  died: boolean
}

/** One statement checks this many deliveries of a channel, in the order of their deferral. */
const checkedPerChannel = 1_000

export const expiredAtOnce = 500

/** `from`: what was deferred before (Unix time in ms, by Postgres's clock) is not read. */
export type CheckedChannel = { channel: string; from: number }

const columns: Columns<CheckedChannel> = {
  channel_id: ["text", ({ channel }) => channel],
  from_ms: ["float8", ({ from }) => from],
}

// Rows are read before they are locked, so that only those that expire are written to.
const statement = defineStatement<Row>(
  "end-expired",
  `
with read as materialized (
  select checked.channel_id, page.delivery_id, deferred_at,
         ${elapsedTime} > $period_ms::float8 * interval '1 millisecond' as is_expired
    from ${unnestColumns(columns, "checked")}
    join unreachable_channel using (channel_id) join channel on channel.id = channel_id and paused_at is null
   cross join lateral (
     select delivery_id, deferred_at, period_started_at, unreachable_ms from waiting_delivery
      where waiting_delivery.channel_id = unreachable_channel.channel_id
        and deferred_at >= to_timestamp(from_ms / 1000) and ${isFree}
      order by deferred_at, delivery_id limit ${checkedPerChannel}) as page
), expired as materialized (
  select delivery_id, deferred_at from read where is_expired limit ${expiredAtOnce}
), locked as materialized (
  select waiting_delivery.delivery_id, waiting_delivery.channel_id, coalesce(period_started_at, deferred_at) as since
    from expired join waiting_delivery using (delivery_id, deferred_at) join delivery on delivery.id = delivery_id
   where waiting_delivery.delivery_id = any (array(select delivery_id from expired)) and ${isFree}
   order by waiting_delivery.delivery_id for update of waiting_delivery, delivery skip locked
), ${endWaiting("not-attempted")}
select locked.delivery_id as delivery, locked.channel_id as channel, coalesce(correlation, '') as correlation,
       died.id is not null as died, null as next_ms
  from locked left join died on died.id = locked.delivery_id
 union all
select null, channel_id, '', false, extract(epoch from max(deferred_at))::float8 * 1000
  from read group by channel_id having count(*) = ${checkedPerChannel}`,
)

/** `next`: of channels with more deliveries, the `from` of the next call. */
export type Checked = { expired: Expired[]; next: ReadonlyMap<string, number> }

type Row = { channel: string } & (
  | { delivery: string; correlation: string; died: boolean; next_ms: null }
  | { delivery: null; next_ms: number }
)

/** Ends the wait of deferred deliveries whose retry period is over, of channels that cannot be reached. */
export async function endExpired(
  sql: Sql,
  channels: readonly CheckedChannel[],
  { periodMs }: { periodMs: number },
): Promise<Checked> {
  const rows = await statement(sql, { ...columnValues(columns, channels), period_ms: periodMs })
  const next = new Map<string, number>()
  const expired = rows.flatMap((row) => {
    if (row.delivery === null) {
      next.set(row.channel, row.next_ms)
      return []
    }
    const { delivery, channel, correlation, died } = row
    return [{ delivery, channel, correlation, died }]
  })
  return { expired, next }
}
