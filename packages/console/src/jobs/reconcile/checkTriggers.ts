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
import { type ConnectionState, readConnectionStates } from "./readConnectionStates.ts"
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
