import { closedPort, waitUntil } from "@sitewire/testkit"
import { expect, test, vi } from "vitest"
import { startOtlpReceiver } from "../../../test/fixtures/startOtlpReceiver.ts"
import { readConfig } from "../../config/config.ts"
import { createLogger } from "../../logging/logger.ts"
import { telemetryVariables } from "../telemetryVariables.ts"
import { startTraces } from "./startTraces.ts"

function startTracesTo(url: string, env: Record<string, string> = {}) {
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env }
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
  const lines: string[] = []
  const log = createLogger({ service: "test", level: "info" }, { write: (line) => void lines.push(line) })
  const config = readConfig(telemetryVariables, all)
  const traces = startTraces({ service: "test", config, log })
  vi.unstubAllEnvs()
  return { ...traces, lines }
}

test("a stop sends the spans that are in progress, with the resource and the headers that variables name", async () => {
  await using collector = await startOtlpReceiver()
  const { tracing, close } = startTracesTo(collector.url, {
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=operators",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-signal=traces",
    OTEL_SERVICE_NAME: "edge",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  })
  tracing.startTrace("in progress", { kind: "consumer" })
  await close(60_000)
  expect(collector.spans).toMatchObject([
    {
      name: "in progress",
      attributes: { "error.type": "stopped" },
      resource: { "service.name": "edge", "deployment.environment.name": "test" },
    },
  ])
  expect(collector.received[0]?.headers).toMatchObject({ "x-tenant": "operators", "x-signal": "traces" })
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
  await waitUntil("the limit", () => lines.join("").includes("Concurrent export limit reached"))
  await waitUntil("five requests", () => collector.received.length === 5)
})

test.each(["does not listen", "does not respond"])("a collector that %s is logged once", async (why) => {
  await using hanging = await startOtlpReceiver({ responds: false })
  const url = why === "does not respond" ? hanging.url : `http://127.0.0.1:${await closedPort()}`
  const { tracing, lines, close } = startTracesTo(url, { OTEL_EXPORTER_OTLP_TIMEOUT: "100" })
  await waitUntil("the warning", () => {
    tracing.startTrace("a span", { kind: "internal" })?.end()
    return lines.length > 0
  })
  // As many spans are sent at once.
  for (let count = 0; count < 512; count++) tracing.startTrace("a span", { kind: "internal" })?.end()
  await close(60_000)
  expect(lines).toEqual([expect.stringContaining("traces cannot be sent to the collector")])
})

test("a stop does not wait until a collector responds", async () => {
  await using collector = await startOtlpReceiver({ responds: false })
  const { tracing, close } = startTracesTo(collector.url, { OTEL_EXPORTER_OTLP_TIMEOUT: "3600000" })
  tracing.startTrace("a span", { kind: "internal" })?.end()
  const stopping = close(200)
  await waitUntil("the request", () => collector.received.length === 1)
  await stopping
})
