import type { Logger } from "../logging/logger.ts"
import type { Registry } from "../metrics/createMetrics.ts"
import type { TelemetryConfig } from "./telemetryVariables.ts"
import type { Tracing } from "./tracing.ts"

export type Telemetry = {
  tracing: Tracing
  /** Sends a line of the log. Only if logs are sent. */
  onLogLine?: (line: string) => void
  /** Sends what is queued, for at most `deadlineMs`. Never rejects. */
  close(deadlineMs: number): Promise<void>
}

export type TelemetryParts = { service: string; config: TelemetryConfig; metrics: Registry; log: Logger }
