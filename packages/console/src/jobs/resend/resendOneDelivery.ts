import type { Sql } from "@sitewire/database"
import { newId } from "../../newIds.ts"
import { channelExists, deferForResend } from "./deferForResend.ts"

// One statement, so that the resend and the job that records it are committed together. If an erasure has
// locked the delivery, the update waits, then finds the delivery erased and changes nothing.
const statement = `
with requested as (
  select state = 'erased' as erased from delivery where id = $1
), deferred as (
  update delivery set ${deferForResend}
   where id = $1 and state <> 'erased' and ${channelExists}
  returning id
), recorded as (
  insert into job (id, kind, state, filter, reason, requested_by, position, counts, created_at, finished_at)
  select $2, 'resend', 'done', jsonb_build_object('delivery', id), $3, $4, '{}', '{"resent": 1}', now(), now()
    from deferred
)
select exists (select from deferred) as deferred, erased from requested`

type Resent =
  | { kind: "deferred"; job: string }
  | { kind: "erased" }
  | { kind: "channel deleted" }
  | { kind: "unknown" }

export async function resendOneDelivery(
  sql: Sql,
  { delivery, reason, requestedBy }: { delivery: string; reason: string; requestedBy: string },
): Promise<Resent> {
  const job = newId("job")
  const [row] = await sql<{ deferred: boolean; erased: boolean }>(statement, [
    delivery,
    job,
    reason,
    requestedBy,
  ])
  if (!row) return { kind: "unknown" }
  if (row.deferred) return { kind: "deferred", job }
  return { kind: row.erased ? "erased" : "channel deleted" }
}
