import { resourceFromAttributes } from "@opentelemetry/resources"
import { expect, test, vi } from "vitest"
import { startOtlpReceiver } from "../../../test/fixtures/startOtlpReceiver.ts"
import { readConfig } from "../../config/config.ts"
import { createLogger } from "../../logging/logger.ts"
import { createMetrics } from "../../metrics/createMetrics.ts"
import { telemetryVariables } from "../telemetryVariables.ts"
import { startTraces } from "./startTraces.ts"

function startTracesTo(url: string, env: Record<string, string> = {}) {
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env }
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
  const lines: string[] = []
  const log = createLogger({ service: "test", level: "info" }, { write: (line) => void lines.push(line) })
  const config = readConfig(telemetryVariables, all)
  const resource = resourceFromAttributes({ "service.name": "test" })
  const traces = startTraces(resource, { service: "test", config, metrics: createMetrics("test"), log })
  vi.unstubAllEnvs()
  return { ...traces, lines }
}

test("a stop sends the spans that are in progress", async () => {
  await using collector = await startOtlpReceiver()
  const { tracing, close } = startTracesTo(collector.url)
  tracing.startTrace("in progress", { kind: "consumer" })
  await close()
  expect(collector.spans).toMatchObject([{ name: "in progress", attributes: { "error.type": "stopped" } }])
})

test("a collector that hangs gets at most five requests at once, and what is too much is dropped", async () => {
  await using collector = await startOtlpReceiver({ responds: false })
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const { tracing, lines } = startTracesTo(collector.url, { OTEL_EXPORTER_OTLP_TIMEOUT: "3600000" })
  for (let exports = 0; exports < 8; exports++) {
    tracing.startTrace("a span", { kind: "internal" })?.end()
    // The delay before an export, and the time after which OpenTelemetry no longer waits for it.
    await vi.advanceTimersByTimeAsync(2_000 + 30_000)
  }
  vi.useRealTimers()
  await expect.poll(() => lines.join("")).toContain("Concurrent export limit reached")
  await expect.poll(() => collector.received.length).toBe(5)
})
