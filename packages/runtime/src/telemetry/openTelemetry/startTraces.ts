import { setTimeout as sleep } from "node:timers/promises"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from "@opentelemetry/resources"
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import type { Telemetry, TelemetryParts } from "../telemetry.ts"
import { createSampler } from "./createSampler.ts"
import { createTracing } from "./createTracing.ts"
import { reportFailures } from "./reportFailures.ts"

/** How long a stop waits for the collector at most. */
const flushWithinMs = 2_000

/**
 * A process needs at most five concurrent exports: one that is under way when the process stops, and the four batches
 * that are then in a full queue. More (the default is 30) would only fill the memory: if OTEL_EXPORTER_OTLP_TIMEOUT is
 * longer than 30 s and the collector hangs, OpenTelemetry begins another export every 30 s.
 */
const concurrencyLimit = 5

export function startTraces({ service, config, log }: TelemetryParts): Telemetry {
  const own = resourceFromAttributes({ "service.name": service, "service.namespace": "sitewire" })
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector]
  const { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio } = config
  const { sampler, rootRatio } = createSampler(name, ratio)
  const exporter = reportFailures(new OTLPTraceExporter({ concurrencyLimit }), log)
  const provider = new TracerProvider({
    resource: defaultResource().merge(own).merge(detectResources({ detectors })),
    sampler,
    spanLimits: { attributeValueLengthLimit: 256, linkCountLimit: 16 },
    // Its queue has room for 2048 spans. Further spans are dropped.
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 2_000 })],
  })
  const tracing = createTracing(provider.getTracer("sitewire"), rootRatio)
  return {
    tracing,
    async close(deadlineMs) {
      tracing.endOpenSpans()
      const flushed = provider.shutdown().catch(() => {})
      await Promise.race([flushed, sleep(Math.min(flushWithinMs, deadlineMs / 2), undefined, { ref: false })])
    },
  }
}
