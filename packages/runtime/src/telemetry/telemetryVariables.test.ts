import { expect, test } from "vitest"
import { ConfigurationError, readConfig } from "../config/config.ts"
import { enabledSignals, telemetryVariables } from "./telemetryVariables.ts"

const enabled = (env: Record<string, string>) => {
  const signals = enabledSignals(readConfig(telemetryVariables, env))
  return Object.entries(signals).flatMap(([name, isEnabled]) => (isEnabled ? [name] : []))
}
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }

test.each([
  ["nothing is sent without an endpoint", {}, []],
  ["an endpoint alone gets traces", endpoint, ["traces"]],
  [
    "metrics and logs are options",
    { ...endpoint, OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" },
    ["traces", "metrics", "logs"],
  ],
  [
    "a signal may have an endpoint of its own",
    {
      OTEL_METRICS_EXPORTER: "otlp",
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://prometheus:9090/v1/metrics",
    },
    ["metrics"],
  ],
  ["traces can be excluded", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }, []],
  ["everything can be disabled", { ...endpoint, OTEL_LOGS_EXPORTER: "otlp", OTEL_SDK_DISABLED: "true" }, []],
])("%s", (_, env, signals) => expect(enabled(env)).toEqual(signals))

test.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" },
  { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  { OTEL_TRACES_SAMPLER: "jaeger_remote" },
  { OTEL_TRACES_SAMPLER_ARG: "1 %" },
  { OTEL_LOGS_EXPORTER: "console" },
])("%o stops the process at its start", (env) => {
  expect(() => readConfig(telemetryVariables, env)).toThrow(ConfigurationError)
})
