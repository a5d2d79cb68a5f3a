import { named, type Row, type Sql } from "@sitewire/database"
import { insertEnded } from "./ended.ts"

/** Null: the delivery is not pending. `sql` runs within a transaction. The order of the locks is that of `waiting_delivery`. */
export async function cancel(sql: Sql, id: string): Promise<{ attemptDue: boolean } | null> {
  const execute = <R extends Row>(text: string) => sql<R>(...named(text, { id }))
  const [waiting] = await execute<{ attempt_due: boolean }>(
    `select ${attemptDue} as attempt_due from waiting_delivery where delivery_id = $id for update`,
  )
  const cancelled = await execute(
    `with cancelled as (
       update delivery set state = 'cancelled', finished_at = now() where id = $id and state = 'pending' returning *
     ), ${insertEnded(`
       select id, event_id, channel_id, state, attempts, null, null, null, correlation, null from cancelled`)}
     select from cancelled`,
  )
  if (cancelled.length === 0) return null
  await execute("delete from waiting_delivery where delivery_id = $id")
  return { attemptDue: waiting?.attempt_due ?? true }
}

// An attempt may be in flight unless the delivery waits for its time, or without a lease for a claim. An attempt of a delivery that was
// deferred for a resend may have begun before the resend.
const attemptDue = `case when deferred_at is not null then lease_expires_at is not null or deferred_reason = 'resend'
       else next_attempt_at <= now() + interval '1 second' end`
