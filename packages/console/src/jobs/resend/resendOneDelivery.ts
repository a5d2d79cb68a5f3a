import type { Sql } from "@sitewire/database"
import { newId } from "../../newIds.ts"
import { deferForResend } from "./deferForResend.ts"

// One statement, so that the resend and the job that records it are committed together. If an erasure has
// locked the delivery, the update waits, then finds the delivery erased and changes nothing.
const statement = `
with requested as (
  select state from delivery where id = $1
), deferred as (
  update delivery set ${deferForResend}
   where id = $1 and state <> 'erased'
  returning id
), recorded as (
  insert into job (id, kind, state, filter, reason, requested_by, position, counts, created_at, finished_at)
  select $2, 'resend', 'done', jsonb_build_object('delivery', id), $3, $4, '{}', '{"resent": 1}', now(), now()
    from deferred
)
select exists (select from deferred) as deferred from requested`

type Resent = { kind: "deferred"; job: string } | { kind: "erased" } | { kind: "unknown" }

export async function resendOneDelivery(
  sql: Sql,
  { delivery, reason, requestedBy }: { delivery: string; reason: string; requestedBy: string },
): Promise<Resent> {
  const job = newId("job")
  const [row] = await sql<{ deferred: boolean }>(statement, [delivery, job, reason, requestedBy])
  if (!row) return { kind: "unknown" }
  return row.deferred ? { kind: "deferred", job } : { kind: "erased" }
}
