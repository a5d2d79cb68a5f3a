import type { IncidentKind } from "@sitewire/contracts"
import { isUnavailable, type Pool } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"
import { createFindInKafka, type InKafka } from "./findInKafka.ts"
import type { Found, FoundNow } from "./incidentRow.ts"
import { updateIncidents } from "./updateIncidents.ts"

const kafkaIntervalMs = 60_000

/** Looks for incidents all the time; in Kafka, which is read apart because it may not respond, once a minute. */
export function startIncidents(settings: {
  pool: Pool
  kafka: InKafka & {
    /** Since when the brokers have not responded to this process. Null: they respond. */
    downSince: () => Date | null
  }
  intervalMs: number
  log: Logger
}): { close(): Promise<void> } {
  const { pool, kafka, intervalMs, log } = settings
  const closing = new AbortController()
  const findInKafka = createFindInKafka(kafka)
  let inKafka: FoundNow = new Map()
  let postgresDownSince: Date | null = null
  repeatUntilClosed({
    async step(signal) {
      try {
        inKafka = await findInKafka()
      } catch (error) {
        inKafka = new Map()
        if (!signal.aborted) throw error
      }
    },
    intervalMs: kafkaIntervalMs,
    failed: "Kafka could not be searched for incidents; the console tries again",
    log,
    closing,
  })

  async function update(): Promise<void> {
    const startedAt = new Date()
    const kafkaDownSince = kafka.downSince()
    const outages: [IncidentKind, Found[]][] = [
      ["kafka.unavailable", outage("kafka", kafkaDownSince)],
      ["postgres.unavailable", outage("postgres", postgresDownSince)],
    ]
    try {
      const changed = await updateIncidents(pool, new Map([...(kafkaDownSince ? [] : inKafka), ...outages]))
      postgresDownSince = null
      for (const { id, kind, subject_id, resolved_at } of changed) {
        const about = { incident: id, kind, subject: subject_id }
        if (resolved_at === null) log.warn(about, "an incident began")
        else log.info(about, "an incident is resolved")
      }
    } catch (error) {
      if (isUnavailable(error)) postgresDownSince ??= startedAt
      throw error
    }
  }

  // Closing does not wait for Kafka.
  return repeatUntilClosed({
    step: update,
    intervalMs,
    failed: "incidents could not be searched for; the console tries again",
    log,
    closing,
  })
}

const outage = (subject_id: string, since: Date | null): Found[] =>
  since === null ? [] : [{ subject_id, since, details: {} }]
