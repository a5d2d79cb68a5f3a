import { setTimeout as sleep } from "node:timers/promises"
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from "@opentelemetry/resources"
import type { Telemetry, TelemetryParts } from "../telemetry.ts"
import type { Signals } from "../telemetryVariables.ts"
import { noTracing } from "../tracing.ts"

/** How long a stop waits for the collector at most. */
const flushWithinMs = 2_000

/** Each signal's packages are imported only if it is sent. */
export async function startOpenTelemetry(signals: Signals, parts: TelemetryParts): Promise<Telemetry> {
  const own = resourceFromAttributes({ "service.name": parts.service, "service.namespace": "sitewire" })
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector]
  const resource = defaultResource().merge(own).merge(detectResources({ detectors }))
  const traces = signals.traces ? (await import("./startTraces.ts")).startTraces(resource, parts) : null
  const metrics = signals.metrics ? (await import("./startMetrics.ts")).startMetrics(resource, parts) : null
  const logs = signals.logs ? (await import("./startLogs.ts")).startLogs(resource, parts) : null
  return {
    tracing: traces?.tracing ?? noTracing,
    ...(logs ? { onLogLine: logs.onLogLine } : {}),
    async close(deadlineMs) {
      const flushed = Promise.allSettled([traces?.close(), metrics?.close(), logs?.close()])
      await Promise.race([flushed, sleep(Math.min(flushWithinMs, deadlineMs / 2), undefined, { ref: false })])
    },
  }
}
