import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import type { Resource } from "@opentelemetry/resources"
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import type { TelemetryParts } from "../telemetry.ts"
import { createSampler } from "./createSampler.ts"
import { createTracing } from "./createTracing.ts"
import { exporterOptions } from "./exporterOptions.ts"
import { reportFailures } from "./reportFailures.ts"

export function startTraces(resource: Resource, { config, log }: TelemetryParts) {
  const { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio } = config
  const { sampler, rootRatio } = createSampler(name, ratio)
  const exporter = reportFailures(new OTLPTraceExporter(exporterOptions), "traces", log)
  const provider = new TracerProvider({
    resource,
    sampler,
    spanLimits: { attributeValueLengthLimit: 256, linkCountLimit: 16 },
    // Its queue has room for 2048 spans. Further spans are dropped.
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 2_000 })],
  })
  const tracing = createTracing(provider.getTracer("sitewire"), rootRatio)
  return {
    tracing,
    close() {
      tracing.endOpenSpans()
      return provider.shutdown()
    },
  }
}
