import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api"
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type MetricData,
} from "@opentelemetry/sdk-metrics"
import type { Registry } from "../../metrics/createMetrics.ts"

type PrometheusMetric = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>[number]
type Sample = PrometheusMetric["values"][number] & { metricName?: string }
type Times = { startTime: HrTime; endTime: HrTime }
type HistogramValue = { buckets: { boundaries: number[]; counts: number[] }; sum: number; count: number }

/**
 * Converts the registry's values, so that no metric is defined twice. Names are those of Prometheus. Units are left
 * out, because some stores append the unit to the name, which contains it already.
 */
export function toOtlpMetrics(metrics: readonly PrometheusMetric[], times: Times): MetricData[] {
  return metrics.flatMap((metric): MetricData[] => {
    const { name, help: description, values } = metric
    const shared = {
      descriptor: { name, description, unit: "", valueType: ValueType.DOUBLE },
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    }
    // prom-client declares numbers, but returns names such as `counter`.
    switch (String(metric.type)) {
      case "counter":
        return [
          {
            ...shared,
            dataPointType: DataPointType.SUM,
            isMonotonic: true,
            dataPoints: toPoints(values, times),
          },
        ]
      case "gauge":
        return [{ ...shared, dataPointType: DataPointType.GAUGE, dataPoints: toPoints(values, times) }]
      case "histogram":
        return [
          { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(values, times) },
        ]
      default:
        return []
    }
  })
}

function toPoints(values: readonly Sample[], times: Times): DataPoint<number>[] {
  return values.map(({ value, labels }) => ({ ...times, attributes: { ...labels }, value }))
}

/** Prometheus counts the values up to each bound. OTLP counts those between two bounds. */
function toHistograms(values: readonly Sample[], times: Times): DataPoint<HistogramValue>[] {
  const points = new Map<string, { attributes: Attributes; value: HistogramValue; below: number }>()
  for (const { metricName = "", labels, value } of values) {
    const { le, ...attributes } = labels as Attributes
    const key = JSON.stringify(attributes)
    const empty = { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 }
    const point = points.get(key) ?? { attributes, value: empty, below: 0 }
    points.set(key, point)
    if (metricName.endsWith("_sum")) point.value.sum = value
    else if (metricName.endsWith("_count")) point.value.count = value
    else {
      if (le !== "+Inf") point.value.buckets.boundaries.push(Number(le))
      point.value.buckets.counts.push(value - point.below)
      point.below = value
    }
  }
  return [...points.values()].map(({ attributes, value }) => ({ ...times, attributes, value }))
}
