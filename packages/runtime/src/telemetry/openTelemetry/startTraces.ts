import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto"
import type { Resource } from "@opentelemetry/resources"
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import type { TelemetryParts } from "../telemetry.ts"
import { createSampler } from "./createSampler.ts"
import { createTracing } from "./createTracing.ts"
import { reportFailures } from "./reportFailures.ts"

export function startTraces(resource: Resource, { config, log }: TelemetryParts) {
  const exporter = reportFailures(new OTLPTraceExporter(), "traces", log)
  const provider = new TracerProvider({
    resource,
    sampler: createSampler(config.OTEL_TRACES_SAMPLER, config.OTEL_TRACES_SAMPLER_ARG),
    spanLimits: { attributeValueLengthLimit: 256, linkCountLimit: 16 },
    // The queue has 2048 spans. More are dropped.
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 2_000 })],
  })
  return { tracing: createTracing(provider.getTracer("sitewire")), close: () => provider.shutdown() }
}
