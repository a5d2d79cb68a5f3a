import { setTimeout as sleep } from "node:timers/promises"
import type { ChaosLab } from "../run.ts"

/** So long ago that no delivery of the run is of these days. */
const agesInDays = [40, 41, 42]
const rowsEach = 5_000

/**
 * Makes days, fills them with deliveries that have ended, and drops them as retention does, while dispatchers insert. Returns how
 * many it dropped.
 */
export async function makeAndDropDays({ sql }: Pick<ChaosLab, "sql">): Promise<number> {
  for (const age of agesInDays) {
    const day = `(now() at time zone 'UTC')::date - ${age}`
    // Returns 0 while a dispatcher makes days.
    while ((await sql<{ made: number }>(`select make_days(${day}, ${day}) as made`))[0]?.made === 0)
      await sleep(100)
    await sql(
      `insert into delivery (id, event_id, channel_id, body, body_sha256, state, attempts, correlation, created_at)
       select overlay(first_id_of_day(${day})::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, 'old', 'channel-0', '', '',
         'delivered', 1, 'old', (${day})::timestamptz
       from generate_series(1, $1) as n`,
      [rowsEach],
    )
  }
  let dropped = 0
  for (const age of agesInDays) {
    // Fails while a statement reads the day. `sql` repeats it.
    const [row] = await sql<{ dropped: boolean }>(
      `select drop_delivery_day((now() at time zone 'UTC')::date - ${age}, now()) as dropped`,
    )
    if (row?.dropped) dropped += 1
  }
  return dropped
}
