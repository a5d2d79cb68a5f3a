import type { Pool } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"
import { type FoundInKafka, findInKafka } from "./findInKafka.ts"
import { updateProblems } from "./updateProblems.ts"

const kafkaIntervalMs = 60_000

/** Looks for problems all the time; in Kafka, which is read apart because it may not respond, once a minute. */
export function startProblems(settings: {
  pool: Pool
  kafka: Parameters<typeof findInKafka>[0]
  intervalMs: number
  log: Logger
}): { close(): Promise<void> } {
  const { pool, kafka, intervalMs, log } = settings
  const closing = new AbortController()
  let inKafka: FoundInKafka | null = null
  repeatUntilClosed({
    async step(signal) {
      try {
        inKafka = await findInKafka(kafka)
      } catch (error) {
        inKafka = null
        if (!signal.aborted) throw error
      }
    },
    intervalMs: kafkaIntervalMs,
    failed: "Kafka could not be searched for problems; the console tries again",
    log,
    closing,
  })
  // Closing does not wait for Kafka.
  return repeatUntilClosed({
    async step() {
      for (const { id, kind, subject_id, resolved_at } of await updateProblems(pool, inKafka)) {
        const about = { problem: id, kind, subject: subject_id }
        if (resolved_at === null) log.warn(about, "a problem began")
        else log.info(about, "a problem is resolved")
      }
    },
    intervalMs,
    failed: "problems could not be searched for; the console tries again",
    log,
    closing,
  })
}
