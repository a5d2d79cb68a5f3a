import type { Telemetry, TelemetryParts } from "./telemetry.ts"
import { enabledSignals } from "./telemetryVariables.ts"
import { noTracing } from "./tracing.ts"

/** Sends what the variables enable. OpenTelemetry's packages are imported only if something is sent. */
export async function startTelemetry(parts: TelemetryParts): Promise<Telemetry> {
  const signals = enabledSignals(parts.config)
  if (!signals.traces && !signals.metrics && !signals.logs)
    return { tracing: noTracing, close: async () => {} }
  const { startOpenTelemetry } = await import("./openTelemetry/startOpenTelemetry.ts")
  return startOpenTelemetry(signals, parts)
}
