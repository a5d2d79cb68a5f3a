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
import type { Logger } from "../../logging/logger.ts"
import { reasonOf } from "../../logging/reasonOf.ts"
import type { Telemetry, TelemetryParts } from "../telemetry.ts"
import { createSampler } from "./createSampler.ts"
import { createTracing } from "./createTracing.ts"

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

type Result = { code: number; error?: Error }
type Exporter<Items> = { export(items: Items, onResult: (result: Result) => void): void }

/** Logs the first failure in a row, and the first success after it. */
function reportFailures<Items, E extends Exporter<Items>>(exporter: E, log: Logger): E {
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
