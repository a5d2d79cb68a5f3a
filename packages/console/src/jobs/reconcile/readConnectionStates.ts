import type { ConnectorTriggered } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"

export type ConnectionState = {
  exists: boolean
  /** The connection was created after the trigger. */
  created_later: boolean
  /** Postgres has triggers of the connection that no sync covers. */
  waits: boolean
  scheduled: boolean
  overdue: boolean
  /** A successful sync covers the trigger or a later one. */
  covered: boolean
}

/**
 * Returns the state of each trigger's connection, in the order of `triggers`. While a sync runs, `due_at` is
 * the end of its lease. A connection that waits for its source's host is never overdue: the host may be down.
 */
export function readConnectionStates(
  sql: Sql,
  triggers: readonly ConnectorTriggered[],
): Promise<ConnectionState[]> {
  return sql<ConnectionState>(statement, [
    triggers.map(({ connection }) => connection),
    triggers.map(({ last_at }) => last_at),
  ])
}

// Only the newest runs are read, because a trigger that waits would otherwise read its connection's whole
// history. If no sync is due, the newest run or one shortly before it covers every trigger. The window knows the newest run also
// after that was deleted.
const statement = `
select c.id is not null as exists, coalesce(c.created_at > given.last_at, false) as created_later,
       coalesce(w.requested > w.covered, false) as waits, w.due_at is not null as scheduled,
       coalesce(w.due_at < clock_timestamp() - interval '5 minutes' and w.waiting_for_host is null, false) as overdue,
       coalesce(run.covers or (w.last_success_at >= w.run_started_at and w.run_last_trigger_at >= given.last_at::timestamptz(3)),
                false) as covered
  from unnest($1::text[], $2::timestamptz[]) with ordinality as given (connection_id, last_at, position)
  left join connection c on c.id = given.connection_id
  left join sync_window w on w.connection_id = c.id
  left join lateral (
    select true as covers
      from (select outcome, last_trigger_at from sync_run where connection_id = c.id order by fence desc limit 100) r
     where r.outcome in ('changed', 'unchanged') and r.last_trigger_at >= given.last_at::timestamptz(3)
     limit 1
  ) run on true
 order by given.position`
