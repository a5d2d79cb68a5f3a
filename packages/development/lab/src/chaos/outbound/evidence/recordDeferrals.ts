import type { Sql } from "@sitewire/database"

/**
 * A delivery was deferred (it waits in its row for a dispatcher to claim it) at the time `at`, in
 * milliseconds since the epoch by Postgres's clock.
 */
export type Deferral = { delivery: string; reason: string; at: number }

/** Adds database triggers that record each deferral, because a delivery's row has only the newest one. */
export async function recordDeferrals(sql: Sql): Promise<void> {
  await sql("create table chaos_deferral (delivery uuid, reason text, at timestamptz)")
  await sql(
    `create function chaos_record_deferral() returns trigger language plpgsql as $$
     begin
       insert into chaos_deferral values (new.id, new.deferred_reason::text, new.deferred_at);
       return null;
     end $$`,
  )
  const work = "for each row when (%) execute function chaos_record_deferral()"
  const changed = "new.deferred_at is not null and new.deferred_at is distinct from old.deferred_at"
  await sql(`create trigger chaos_deferred_later after update on delivery ${work.replace("%", changed)}`)
  await sql(
    `create trigger chaos_deferred_at_once after insert on delivery ${work.replace("%", "new.deferred_at is not null")}`,
  )
}

export function readDeferrals(sql: Sql): Promise<Deferral[]> {
  return sql<Deferral>(
    "select delivery, reason, (extract(epoch from at) * 1000)::float8 as at from chaos_deferral order by at",
  )
}
