import { named, type Sql } from "@sitewire/database"
import { unreachableUntilNow } from "./unreachable.ts"
import { awaitWaiting } from "./waiting.ts"

/**
 * Defers those of the deliveries that are not erased, whose channel exists and that match the conditions, in a new retry period. Returns
 * their ids. `sql` must run within a transaction.
 *
 * An attempt in flight ends a deferral only if `deferred_at` still has the value that the attempt has read. The new value is always
 * different. A lease stays, so that no second attempt starts before it ends.
 *
 * The lock of the channel makes its deletion wait, and then find the deferred delivery, which nothing would claim.
 */
export async function resend(
  sql: Sql,
  ids: readonly string[],
  job: string,
  /** SQL, with the values of its named parameters. */
  { conditions, values }: { conditions: string; values: Readonly<Record<string, unknown>> } = {
    conditions: "true",
    values: {},
  },
): Promise<string[]> {
  await awaitWaiting(sql, ids)
  const locked = await sql<{ id: string }>(
    ...named(
      `select id from delivery
        where id = any($ids::uuid[]) and state <> 'erased' and ${conditions}
          and exists (select from channel where channel.id = delivery.channel_id for key share)
        order by id for update`,
      { ids, ...values },
    ),
  )
  const deferred = locked.map(({ id }) => id)
  if (deferred.length === 0) return []
  const execute = (text: string) => sql(...named(text, { deferred, job }))
  await execute(
    `insert into waiting_delivery (delivery_id, channel_id, attempts, deferred_at, deferred_reason, failures, unreachable_ms)
     select id, channel_id, attempts, clock_timestamp(), 'resend', 0,
            ${unreachableUntilNow("delivery.channel_id")}
       from delivery where id = any($deferred::uuid[])
     on conflict (delivery_id) do update
        set deferred_at = greatest(excluded.deferred_at, waiting_delivery.deferred_at + interval '1 ms'),
            deferred_reason = 'resend', failures = 0, period_started_at = null, next_attempt_at = null,
            unreachable_ms = excluded.unreachable_ms`,
  )
  await execute(
    `update delivery
        set last_job = $job, dead_reason = null,
            finished_at = case when state in ('dead', 'cancelled') then null else finished_at end,
            state = case when state in ('dead', 'cancelled') then 'pending' else state end
      where id = any($deferred::uuid[])`,
  )
  return deferred
}
