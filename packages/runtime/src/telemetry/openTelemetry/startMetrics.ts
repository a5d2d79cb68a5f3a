import type { HrTime } from "@opentelemetry/api"
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto"
import type { Resource } from "@opentelemetry/resources"
import type { TelemetryParts } from "../telemetry.ts"
import { exporterOptions } from "./exporterOptions.ts"
import { reportFailures } from "./reportFailures.ts"
import { toOtlpMetrics } from "./toOtlpMetrics.ts"

/** Sends all values of the registry at each interval, and once more at the stop. */
export function startMetrics(resource: Resource, { config, metrics, log }: TelemetryParts) {
  const exporter = reportFailures(new OTLPMetricExporter(exporterOptions), "metrics", log)
  const startTime = toHrTime(performance.timeOrigin)
  let sending: Promise<void> | null = null

  async function sendAll(): Promise<void> {
    const values = await metrics.getMetricsAsJSON()
    const items = toOtlpMetrics(values, { startTime, endTime: toHrTime(Date.now()) })
    const scopeMetrics = [{ scope: { name: "sitewire" }, metrics: items }]
    await new Promise<void>((resolve) => exporter.export({ resource, scopeMetrics }, () => resolve()))
  }

  function send(): Promise<void> {
    sending ??= sendAll()
      .catch((error: unknown) => log.warn({ error }, "the metrics cannot be read, so none are sent"))
      .finally(() => {
        sending = null
      })
    return sending
  }

  const timer = setInterval(() => void send(), config.OTEL_METRIC_EXPORT_INTERVAL).unref()
  return {
    async close() {
      clearInterval(timer)
      await sending
      await send()
      await exporter.shutdown()
    },
  }
}

function toHrTime(epochMs: number): HrTime {
  return [Math.floor(epochMs / 1_000), Math.round((epochMs % 1_000) * 1e6)]
}
