import type { Sql } from "@sitewire/database"
import { newId } from "../../newIds.ts"
import { deferForResend } from "./deferForResend.ts"

type Resent =
  | { kind: "deferred"; job: string }
  | { kind: "erased" }
  | { kind: "channel deleted" }
  | { kind: "unknown" }

/** `sql` must run within a transaction, so that the resend and the job that records it are committed together. */
export async function resendOneDelivery(
  sql: Sql,
  { delivery, reason, requestedBy }: { delivery: string; reason: string; requestedBy: string },
): Promise<Resent> {
  const [found] = await sql<{ has_channel: boolean }>(
    "select exists (select from channel where channel.id = channel_id) as has_channel from delivery where id = $1",
    [delivery],
  )
  if (!found) return { kind: "unknown" }
  const [deferred] = await deferForResend(sql, [delivery])
  if (deferred === undefined) return { kind: found.has_channel ? "erased" : "channel deleted" }
  const job = newId("job")
  await sql(
    `insert into job (id, kind, state, filter, reason, requested_by, position, counts, created_at, finished_at)
     values ($1, 'resend', 'done', jsonb_build_object('delivery', $2::text), $3, $4, '{}', '{"resent": 1}', now(), now())`,
    [job, delivery, reason, requestedBy],
  )
  return { kind: "deferred", job }
}
