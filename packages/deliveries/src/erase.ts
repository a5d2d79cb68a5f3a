import { named, type Sql } from "@sitewire/database"
import { insertEnded } from "./ended.ts"
import { awaitWaiting } from "./waiting.ts"

/** Erases deliveries with what their attempts may quote. `sql` must run within a transaction. */
export async function erase(
  sql: Sql,
  ids: readonly string[],
  job: string,
): Promise<{ deliveries_erased: number; excerpts_erased: number }> {
  if (ids.length === 0) return { deliveries_erased: 0, excerpts_erased: 0 }
  // Deleted after the deliveries are locked, because a resend may insert such a row until then.
  await awaitWaiting(sql, ids)
  const execute = (text: string) => sql(...named(text, { ids, job }))
  await execute(
    `with pending as (
       select * from delivery where id = any($ids::uuid[]) and state = 'pending' for update
     ), ${insertEnded(`
       select id, event_id, channel_id, 'erased'::delivery_state, attempts, null, null, null, correlation, null from pending`)}
     select from pending`,
  )
  // The body's hash could confirm a guess of the e-mail address.
  const deliveries = await execute(
    `update delivery
        set body = '', body_sha256 = '', state = 'erased', finished_at = now(), last_job = $job,
            reference_key = null, site_key = null, email_digest = null
      where id = any($ids::uuid[]) and state <> 'erased'
      returning id`,
  )
  await execute("delete from waiting_delivery where delivery_id = any($ids::uuid[])")
  // A response may repeat the body. The first statement has waited for attempts that were being recorded, so these are found, too.
  const excerpts = await execute(
    `update attempt set response_excerpt = null
      where delivery_id = any($ids::uuid[]) and response_excerpt is not null
      returning number`,
  )
  // The beginning of a signature could confirm a guess of the body.
  await execute(
    "update attempt set request_headers = null where delivery_id = any($ids::uuid[]) and request_headers is not null",
  )
  return { deliveries_erased: deliveries.length, excerpts_erased: excerpts.length }
}
