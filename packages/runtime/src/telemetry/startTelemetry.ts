import type { Telemetry, TelemetryParts } from "./telemetry.ts"
import { sendsTraces } from "./telemetryVariables.ts"
import { noTracing } from "./tracing.ts"

/** OpenTelemetry's packages are imported only if traces are sent. */
export async function startTelemetry(parts: TelemetryParts): Promise<Telemetry> {
  if (!sendsTraces(parts.config)) return { tracing: noTracing, close: async () => {} }
  const { startTraces } = await import("./openTelemetry/startTraces.ts")
  return startTraces(parts)
}
