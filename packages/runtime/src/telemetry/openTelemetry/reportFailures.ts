import type { Logger } from "../../logging/logger.ts"
import { reasonOf } from "../../logging/reasonOf.ts"

type Result = { code: number; error?: Error }
type Exporter<Items> = { export(items: Items, onResult: (result: Result) => void): void }

/** Logs the first failure in a row, and the first success after it. */
export function reportFailures<Items, E extends Exporter<Items>>(exporter: E, log: Logger): E {
  const send = exporter.export.bind(exporter)
  let failing = false
  exporter.export = (items, onResult) =>
    send(items, (result) => {
      const failed = result.code !== 0
      if (failed && !failing)
        log.warn(
          { reason: result.error ? reasonOf(result.error) : "unknown" },
          "traces cannot be sent to the collector; what was not sent in time or does not fit into the queue is dropped",
        )
      if (!failed && failing) log.info("traces are sent to the collector again")
      failing = failed
      onResult(result)
    })
  return exporter
}
