import {
  type ConnectorTriggered,
  connectorTriggeredSchema,
  identifierSchema,
  type ReconciliationException,
  recordReader,
} from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { ConsumerRecord } from "@sitewire/kafka"
import type { Check } from "./checkEvents.ts"
import { isConsumed } from "./reconcilePosition.ts"

const readTriggered = recordReader(connectorTriggeredSchema)
const recordsPerQuery = 1_000

type Outcome = "covered" | "pending" | "unconsumed" | "without_connection" | ReconciliationException["kind"]

/**
 * Checks that each trigger is covered by a sync, or that one is due. Triggers after the period are checked
 * too, because Kafka deletes a connection's older trigger when it has a newer one: a sync that covers the
 * newer trigger covers the older one.
 */
export async function checkTriggers(
  sql: Sql,
  records: readonly ConsumerRecord[],
  {
    isInPeriod,
    isAfterPeriod,
    committed,
  }: Pick<Check, "isInPeriod" | "committed"> & {
    isAfterPeriod: (record: ConsumerRecord) => boolean
  },
): Promise<{ counts: Record<string, number>; exceptions: ReconciliationException[] }> {
  const counts: Record<string, number> = { triggers: 0 }
  const exceptions: ReconciliationException[] = []
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  const valid: { record: ConsumerRecord; trigger: ConnectorTriggered }[] = []
  for (const record of records) {
    const later = isAfterPeriod(record)
    if (!later && !isInPeriod(record)) continue
    count(later ? "later_triggers" : "triggers")
    const read = readTriggered(record.value)
    if (read.ok && isStorable(read.value)) valid.push({ record, trigger: read.value })
    else if (!later) count("triggers_invalid")
  }
  for (let start = 0; start < valid.length; start += recordsPerQuery) {
    const some = valid.slice(start, start + recordsPerQuery)
    const states = await readConnectionStates(
      sql,
      some.map(({ trigger }) => trigger),
    )
    for (const [at, { record, trigger }] of some.entries()) {
      const outcome = outcomeOf(states[at], isConsumed(record, committed))
      if (isException(outcome)) exceptions.push(exception(outcome, record, trigger.connection))
      else if (!isAfterPeriod(record)) count(`triggers_${outcome}`)
    }
  }
  return { counts, exceptions }
}

/** Postgres rejects other values, and the gateway never writes them. */
function isStorable({ connection, last_at }: ConnectorTriggered): boolean {
  return identifierSchema.safeParse(connection).success && Date.parse(last_at) >= 0
}

function outcomeOf(state: ConnectionState | undefined, consumed: boolean): Outcome {
  if (!state?.exists) return "without_connection"
  if (state.waits && !state.scheduled) return "sync_not_scheduled"
  if (state.covered) return "covered"
  if (!consumed) return "unconsumed"
  // The trigger is from an earlier connection with this id.
  if (state.created_later) return "without_connection"
  if (!state.waits) return "trigger_not_synced"
  return state.overdue ? "sync_overdue" : "pending"
}

function isException(outcome: Outcome): outcome is ReconciliationException["kind"] {
  return outcome.includes("sync")
}

function exception(
  kind: ReconciliationException["kind"],
  { topic, partition, offset, appendedAt }: ConsumerRecord,
  connection: string,
): ReconciliationException {
  const published_at = new Date(appendedAt).toISOString()
  return { kind, topic, partition, offset, event_id: null, connection, published_at }
}

type ConnectionState = {
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
function readConnectionStates(sql: Sql, triggers: readonly ConnectorTriggered[]): Promise<ConnectionState[]> {
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
