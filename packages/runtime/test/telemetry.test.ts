import { startReceiver } from "@sitewire/cli/receivers"
import { closedPort, startTestInstallation, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { event } from "./fixtures/event.ts"
import { startOtlpReceiver } from "./fixtures/startOtlpReceiver.ts"

test("metrics and log lines are sent as they are in /metrics and on standard output, with the resource that variables name", async () => {
  await using collector = await startOtlpReceiver()
  await using it = await startTestInstallation({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=operators",
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: "x-tenant=auditors",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_METRIC_EXPORT_INTERVAL: "1000",
      OTEL_LOGS_EXPORTER: "otlp",
      OTEL_SERVICE_NAME: "edge",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    },
  })
  const [token] = await it.addConnections([{ id: "shop", source: "https://source.example/" }])
  const { addresses, output, end } = await it.start("gateway")
  const call = () => fetch(`${addresses.gateway}/connectors/hook/shop/${token}/`, { method: "POST" })
  for (let count = 0; count < 3; count++) expect((await call()).status).toBe(202)
  expect((await fetch(`${addresses.gateway}/connectors/hook/shop/wrong/`, { method: "POST" })).status).toBe(
    404,
  )
  const shown = await (await fetch(`${addresses.ops}/metrics`)).text()
  expect(await end("SIGTERM")).toBe(0)

  const last = (name: string) => collector.metrics.findLast((metric) => metric.name === name)
  expect(last("sitewire_triggers_total")).toMatchObject({ kind: "sum", resource: { "service.name": "edge" } })
  const accepted = last("sitewire_triggers_total")?.points.find(
    ({ attributes }) => attributes.outcome === "accepted",
  )
  expect(accepted).toMatchObject({ value: 3, attributes: { service: "trigger-gateway" } })
  expect(last("sitewire_ready")?.kind).toBe("gauge")
  const [histogram] = last("sitewire_trigger_response_seconds")?.points ?? []
  expect(histogram?.count).toBe(4)
  expect(histogram?.buckets.reduce((sum, count) => sum + count, 0)).toBe(4)
  expect(histogram?.bounds).toEqual([0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5])
  expect(histogram?.buckets).toHaveLength(12)
  const names = [...shown.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  expect([...new Set(collector.metrics.map(({ name }) => name))].toSorted()).toEqual(names.toSorted())

  const lines = output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
  // The last line is written when everything else, and so the sending of logs, has ended.
  const written = lines.map(({ msg }) => msg).filter((msg) => msg !== "stopped")
  expect(collector.logs.map(({ body }) => body)).toEqual(written)
  const published = collector.logs.find(({ body }) => body === "triggers published")
  expect(published).toMatchObject({
    severity: "info",
    resource: { "service.name": "edge", "deployment.environment.name": "test" },
  })
  for (const { path, headers } of collector.received)
    expect(headers["x-tenant"], path).toBe(path === "/v1/logs" ? "auditors" : "operators")
  expect(collector.raw()).not.toContain(token)
})

test("a stop sends the last values of the metrics, although Kafka and Postgres are disconnected then", async () => {
  await using collector = await startOtlpReceiver()
  await using it = await startTestInstallation({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_EXPORTER: "none",
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_METRIC_EXPORT_INTERVAL: "3600000",
    },
  })
  const partner = await startReceiver()
  await it.addChannel({ id: "acme", address: partner.url, secret: "s" })
  const { end } = await it.start("dispatcher")
  await it.publish([{ topic: it.names.sitePaid, key: "shop-1", value: event("shop-1") }])
  await waitUntil("the delivery", () => partner.received.length === 1)
  expect(collector.metrics).toEqual([])
  expect(await end("SIGTERM")).toBe(0)
  const attempts = collector.metrics.find(({ name }) => name === "sitewire_attempts_total")
  expect(attempts?.points.find(({ attributes }) => attributes.outcome === "delivered")?.value).toBe(1)
  await partner.close()
})

const reportLoaded = `
import { registerHooks } from "node:module"
const loaded = new Set()
registerHooks({
  load(url, context, next) {
    const [, name] = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(url) ?? []
    // The Prometheus client imports the interfaces.
    if (name && name !== "@opentelemetry/api") loaded.add(name)
    return next(url, context)
  },
})
process.on("exit", () => console.log("loaded:", [...loaded].join(" ")))`

test("OpenTelemetry is not loaded unless something is sent, and then only what sends it", async () => {
  await using it = await startTestInstallation()
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(reportLoaded)}`
  async function loadedBy(env: Record<string, string>): Promise<string[]> {
    const { output, end } = await it.start("gateway", { NODE_OPTIONS, ...env })
    await end("SIGTERM")
    const [, names = ""] = /^loaded: ?(.*)$/m.exec(output()) ?? []
    return names.split(" ").filter((name) => name !== "")
  }
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await closedPort()}` }
  expect(await loadedBy({})).toEqual([])
  expect(await loadedBy({ ...endpoint, OTEL_SDK_DISABLED: "true" })).toEqual([])
  const loaded = await loadedBy(endpoint)
  expect(loaded).toContain("@opentelemetry/sdk-trace")
  expect(loaded).not.toContain("@opentelemetry/exporter-logs-otlp-proto")
}, 60_000)

test.each(["does not listen", "does not respond"])(
  "a collector that %s is logged once, and delays neither responses nor the stop",
  async (why) => {
    await using hanging = await startOtlpReceiver({ responds: false })
    const unreachable = `http://127.0.0.1:${await closedPort()}`
    await using it = await startTestInstallation({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: why === "does not listen" ? unreachable : hanging.url,
        OTEL_EXPORTER_OTLP_TIMEOUT: "300",
        OTEL_LOGS_EXPORTER: "otlp",
      },
    })
    const [token] = await it.addConnections([{ id: "shop", source: "https://source.example/" }])
    const { addresses, output, end } = await it.start("gateway")
    const warnings = () => output().match(/telemetry cannot be sent/g)?.length ?? 0
    const call = () => fetch(`${addresses.gateway}/connectors/hook/shop/${token}/`, { method: "POST" })
    await waitUntil("a warning of each of two signals", async () => {
      expect((await call()).status).toBe(202)
      return warnings() === 2
    })
    for (let count = 0; count < 20; count++) expect((await call()).status).toBe(202)
    const stoppedAt = performance.now()
    expect(await end("SIGTERM")).toBe(0)
    expect(performance.now() - stoppedAt).toBeLessThan(5_000)
    expect(warnings()).toBe(2)
  },
)
