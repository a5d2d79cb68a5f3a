import { insertEnded } from "./ended.ts"

/**
 * The steps of a statement that end the wait of deliveries without an attempt. Those that are pending become dead; those
 * that were delivered before, and waited for a resend, stay delivered. A step `locked` has locked their rows of
 * waiting_delivery, and has the columns `delivery_id` and `since`, the start of their retry period.
 */
export const endWaiting = (
  error: "not-attempted" | "channel-deleted",
  deadReason: "channel_deleted" | null,
) => `ended as (
  delete from waiting_delivery where delivery_id = any (array(select delivery_id from locked))
), died as (
  update delivery set state = 'dead', finished_at = now(), dead_reason = ${deadReason === null ? "null" : `'${deadReason}'`}
   where id = any (array(select delivery_id from locked)) and state = 'pending'
  returning id, event_id, channel_id, attempts, correlation, created_at
), ${insertEnded(`
  select died.id, died.event_id, died.channel_id, 'dead'::delivery_state, died.attempts, coalesce(since, died.created_at),
         '${error}', null, died.correlation, null
    from died join locked on locked.delivery_id = died.id`)}`
