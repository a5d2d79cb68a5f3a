import type { ConnectorTriggered } from "@sitewire/contracts"
import type { Logger } from "@sitewire/runtime"

/** Container runtimes split lines at 16 KB; so many records stay below that. */
const recordsPerLine = 100

/**
 * Logs the records that Kafka has acknowledged, so that a trigger can be followed by the correlation in its response. Many
 * records share a line: a busy gateway would write ten thousand lines a second otherwise.
 */
export function logPublished(log: Logger, records: readonly ConnectorTriggered[]): void {
  if (!log.isLevelEnabled("info")) return
  for (let start = 0; start < records.length; start += recordsPerLine) {
    const some = records.slice(start, start + recordsPerLine)
    const triggered = some.map(({ connection, correlation, count }) => ({ connection, correlation, count }))
    log.info({ triggered }, "triggers published")
  }
}
