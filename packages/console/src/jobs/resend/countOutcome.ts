import { deliveryStateSchema, type JobOutcome, mostCounted } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import type { JobRow } from "../jobRows.ts"
import { rangeOf, timesOf } from "./resendFilter.ts"

/**
 * Counts what became of the deliveries that a resend was the last to resend. Each state is one probe of the index of last jobs,
 * which reads at most `mostCounted` entries, so the time does not depend on the size of the job.
 *
 * A delivery that was delivered before the resend keeps its state while it waits.
 */
export async function countOutcome(sql: Sql, job: JobRow): Promise<JobOutcome> {
  const { range, values } = idsOf(job)
  const rows = await sql<{ outcome: keyof JobOutcome; count: number }>(
    ...named(
      `select case when state = 'delivered' and ${isWaiting} then 'pending' else state end as outcome, count(*)::int as count
         from unnest($states::delivery_state[]) as probe (wanted)
        cross join lateral (
          select id, state from delivery
           where last_job = $job and state = probe.wanted and ${range} limit ${mostCounted}) as found
        group by 1`,
      { ...values, states: deliveryStateSchema.options, job: job.id },
    ),
  )
  const counts = new Map(rows.map(({ outcome, count }) => [outcome, Math.min(count, mostCounted)]))
  const of = (outcome: keyof JobOutcome) => counts.get(outcome) ?? 0
  return {
    delivered: of("delivered"),
    pending: of("pending"),
    dead: of("dead"),
    cancelled: of("cancelled"),
    erased: of("erased"),
  }
}

// A subquery with a limit is run for each row. Otherwise, Postgres may read all deliveries that wait.
const isWaiting = "(select true from waiting_delivery where delivery_id = found.id limit 1) is not null"

/** Narrows the search to the days whose deliveries the job may have resent. */
function idsOf({ filter, created_at }: JobRow): { range: string; values: Record<string, unknown> } {
  if (filter.delivery !== undefined) return { range: "id = $delivery", values: { delivery: filter.delivery } }
  const { created_after, created_before } = filter
  return rangeOf({}, timesOf({ created_after, created_before }, created_at))
}
