import type { ConnectorTriggered } from "@sitewire/contracts"
import { type Logger, type Traceparent, traceFields } from "@sitewire/runtime"

export type PublishedTrigger = { record: ConnectorTriggered; traceparent: Traceparent | null }

/** So many records have less than 16 KB, also with traces. The logger cuts longer lists. */
const recordsPerLine = 60

/**
 * Logs published records, so that a trigger can be found by the correlation id in its response. One line per
 * record would be ten thousand lines a second.
 */
export function logPublished(log: Logger, records: readonly PublishedTrigger[]): void {
  if (!log.isLevelEnabled("info")) return
  for (let start = 0; start < records.length; start += recordsPerLine) {
    const some = records.slice(start, start + recordsPerLine)
    const triggered = some.map(({ record: { connection, correlation, count }, traceparent }) => ({
      connection,
      correlation,
      count,
      ...traceFields(traceparent),
    }))
    log.info({ triggered }, "triggers published")
  }
}
