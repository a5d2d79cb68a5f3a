import type { Sql } from "@sitewire/database"
import { newId } from "../../newIds.ts"
import { deferForResend } from "./deferForResend.ts"

// One statement, and so one transaction: nothing is sent that nobody asked for, and what was accepted is kept. An erasure
// that is under way holds the row's lock; the update then finds the delivery erased and changes nothing.
const statement = `
with asked as (
  select state from delivery where id = $1
), deferred as (
  update delivery set ${deferForResend}
   where id = $1 and state <> 'erased'
  returning id
), noted as (
  insert into job (id, kind, state, filter, reason, requested_by, position, counts, created_at, finished_at)
  select $2, 'resend', 'done', jsonb_build_object('delivery', id), $3, $4, '{}', '{"resent": 1}', now(), now()
    from deferred
)
select exists (select from deferred) as deferred from asked`

type Resent = { kind: "deferred"; job: string } | { kind: "erased" } | { kind: "unknown" }

/** Defers a delivery, so that it is sent again, and notes who asked for it and why. */
export async function resendOne(
  sql: Sql,
  { delivery, reason, requestedBy }: { delivery: string; reason: string; requestedBy: string },
): Promise<Resent> {
  const job = newId("job")
  const [row] = await sql<{ deferred: boolean }>(statement, [delivery, job, reason, requestedBy])
  if (!row) return { kind: "unknown" }
  return row.deferred ? { kind: "deferred", job } : { kind: "erased" }
}
