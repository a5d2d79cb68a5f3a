import type { ConnectorTriggered } from "@sitewire/contracts"
import type { Logger } from "@sitewire/runtime"

/** Keeps a line below the 16 KB at which container runtimes cut it in two. */
const recordsPerLine = 100

/**
 * Says which records were acknowledged, so that a trigger can be followed by the correlation that its answer named. Many
 * records share a line: a line each would be ten thousands a second from a busy gateway.
 */
export function logTriggered(log: Logger, records: readonly ConnectorTriggered[]): void {
  if (!log.isLevelEnabled("info")) return
  for (let start = 0; start < records.length; start += recordsPerLine) {
    const some = records.slice(start, start + recordsPerLine)
    const triggered = some.map(({ connection, correlation, count }) => ({ connection, correlation, count }))
    log.info({ triggered }, "triggered")
  }
}
