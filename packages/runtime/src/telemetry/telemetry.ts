import type { Logger } from "../logging/logger.ts"
import type { TelemetryConfig } from "./telemetryVariables.ts"
import type { Tracing } from "./tracing.ts"

export type Telemetry = {
  tracing: Tracing
  /**
   * Ends the open spans, and sends what is queued. Waits for the collector half of `deadlineMs` and two seconds at most.
   * Never rejects.
   */
  close(deadlineMs: number): Promise<void>
}

export type TelemetryParts = { service: string; config: TelemetryConfig; log: Logger }
