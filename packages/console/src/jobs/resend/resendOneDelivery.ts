import { resendsPerHour } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import { resend } from "@sitewire/deliveries"
import { newId } from "../../newIds.ts"

type Resent =
  | { kind: "deferred"; job: string }
  | { kind: "erased" }
  | { kind: "channel deleted" }
  | { kind: "too many"; retryAfterSeconds: number }
  | { kind: "unknown" }

/** `sql` must run within a transaction, so that the resend and the job that records it are committed together. */
export async function resendOneDelivery(
  sql: Sql,
  { delivery, reason, requested_by }: { delivery: string; reason: string; requested_by: string },
): Promise<Resent> {
  const [found] = await sql<{ has_channel: boolean }>(
    "select exists (select from channel where channel.id = channel_id) as has_channel from delivery where id = $1",
    [delivery],
  )
  if (!found) return { kind: "unknown" }
  const job = newId("job")
  const [deferred] = await resend(sql, [delivery], job)
  if (deferred === undefined) return { kind: found.has_channel ? "erased" : "channel deleted" }
  // Counted while the delivery is locked, so that requests at the same time cannot exceed the limit.
  const [full] = await sql<{ seconds: number }>(
    `select ceil(extract(epoch from created_at + interval '1 hour' - clock_timestamp()))::int as seconds from job
      where delivery_id = $1 and created_at > clock_timestamp() - interval '1 hour'
      order by created_at desc offset ${resendsPerHour - 1} limit 1`,
    [delivery],
  )
  if (full) return { kind: "too many", retryAfterSeconds: Math.max(1, full.seconds) }
  await sql(
    ...named(
      `insert into job (id, kind, state, filter, delivery_id, reason, requested_by, position, counts, created_at, finished_at)
       values ($job, 'resend', 'done', jsonb_build_object('delivery', $delivery::text), $delivery::uuid, $reason, $requested_by, '{}',
               '{"resent": 1}', now(), now())`,
      { job, delivery, reason, requested_by },
    ),
  )
  return { kind: "deferred", job }
}
