import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import { expect, test } from "vitest"
import type { SamplerName } from "../telemetryVariables.ts"
import { createSampler } from "./createSampler.ts"
import { createTracing } from "./createTracing.ts"

const sampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
const unsampled = `${sampled.slice(0, -2)}00`
const amount = 4_000

function tracingWith(name: SamplerName, ratio: number) {
  const exporter = new InMemorySpanExporter()
  const { sampler, rootRatio } = createSampler(name, ratio)
  const provider = new TracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  return { exporter, ...createTracing(provider.getTracer("test"), rootRatio) }
}

test.each<[SamplerName, number, number, number]>([
  ["parentbased_traceidratio", 0.25, amount, 0],
  ["traceidratio", 0.25, 0.25, 0.25],
  ["parentbased_always_on", 1, amount, 0],
  ["parentbased_always_off", 0, amount, 0],
  ["always_on", 1, amount, amount],
  ["always_off", 0, 0, 0],
])("%s records a part of %s of the traces without a parent", (name, ratio, withSampled, withUnsampled) => {
  const { startTrace } = tracingWith(name, 0.25)
  const count = (parent?: string) => {
    let recorded = 0
    for (let at = 0; at < amount; at++)
      if (startTrace("a span", { kind: "internal", parent }) !== null) recorded += 1
    return recorded
  }
  expect(Math.abs(count() / amount - ratio)).toBeLessThan(0.05)
  // With a ratio by trace id, all spans of the one trace have the same decision.
  if (name === "traceidratio") expect([0, amount]).toContain(count(sampled))
  else expect([count(sampled), count(unsampled)]).toEqual([withSampled, withUnsampled])
})

test("a span continues only a trace that is recorded, and ignores contexts that are none", () => {
  const { startSpan, startTrace, exporter } = tracingWith("parentbased_always_on", 1)
  expect(startSpan(null, "none", { kind: "internal" })).toBeNull()
  expect(startSpan("no context", "none", { kind: "internal" })).toBeNull()
  expect(startSpan(unsampled, "none", { kind: "internal" })).toBeNull()
  startSpan(sampled, "continued", { kind: "client", links: ["no context", null, undefined, sampled] })?.end()
  startTrace("begun", { kind: "server", parent: "no context" })?.end({ error: "timeout" })
  const [continued, begun] = exporter.getFinishedSpans()
  expect(continued?.spanContext().traceId).toBe(sampled.slice(3, 35))
  expect(continued?.links).toHaveLength(1)
  expect(begun?.parentSpanContext).toBeUndefined()
  expect(begun?.attributes).toEqual({ "error.type": "timeout" })
})

test("spans that are open at the stop end then, and only then", () => {
  const { startSpan, startTrace, endOpenSpans, exporter } = tracingWith("parentbased_always_on", 1)
  const open = startTrace("open", { kind: "consumer" })
  startSpan(sampled, "ended", { kind: "client" })?.end({ attributes: { outcome: "delivered" } })
  endOpenSpans()
  open?.end({ attributes: { outcome: "too late" } })
  endOpenSpans()
  expect(exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes])).toEqual([
    ["ended", { outcome: "delivered" }],
    ["open", { "error.type": "stopped" }],
  ])
})

test("a span that is started late begins when its work began", () => {
  const { startTrace, exporter } = tracingWith("parentbased_always_on", 1)
  const [hourMs, tolerableMs] = [3_600_000, 600_000]
  const beganAt = Date.now() - hourMs
  const span = startTrace("late", { kind: "server", startedAt: performance.now() - hourMs })
  span?.end()
  const [{ startTime, duration } = { startTime: [0, 0], duration: [0, 0] }] = exporter.getFinishedSpans()
  const toMs = ([seconds = 0, nanoseconds = 0]: readonly number[]) => seconds * 1e3 + nanoseconds / 1e6
  expect(Math.abs(toMs(startTime) - beganAt)).toBeLessThan(tolerableMs)
  expect(toMs(duration)).toBeGreaterThan(hourMs - 1)
  expect(toMs(duration)).toBeLessThan(hourMs + tolerableMs)
})
