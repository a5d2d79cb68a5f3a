import type { Logger } from "../logging/logger.ts"
import type { Registry } from "../metrics/createMetrics.ts"
import type { TelemetryConfig } from "./telemetryVariables.ts"
import type { Tracing } from "./tracing.ts"

export type Telemetry = {
  tracing: Tracing
  /** To be called with each line that the process logs. Undefined if logs are not sent. */
  onLogLine?: (line: string) => void
  /**
   * Ends the open spans, and sends what is queued and the last metrics. Waits for the collector half of `deadlineMs` and
   * two seconds at most. Never rejects.
   */
  close(deadlineMs: number): Promise<void>
}

export type TelemetryParts = { service: string; config: TelemetryConfig; metrics: Registry; log: Logger }
