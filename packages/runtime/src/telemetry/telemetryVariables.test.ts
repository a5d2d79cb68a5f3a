import { expect, test } from "vitest"
import { ConfigurationError, readConfig } from "../config/config.ts"
import { sendsTraces, telemetryVariables } from "./telemetryVariables.ts"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }

test.each([
  ["nothing is sent without an endpoint", {}, false],
  ["an endpoint alone gets traces", endpoint, true],
  [
    "traces may have an endpoint of their own",
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t/v1/traces" },
    true,
  ],
  ["traces can be excluded", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }, false],
  ["everything can be disabled", { ...endpoint, OTEL_SDK_DISABLED: "true" }, false],
])("%s", (_, env, expected) => expect(sendsTraces(readConfig(telemetryVariables, env))).toBe(expected))

test.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" },
  { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
  { OTEL_TRACES_SAMPLER: "jaeger_remote" },
  { OTEL_TRACES_SAMPLER_ARG: "1 %" },
  { OTEL_TRACES_EXPORTER: "console" },
])("%o stops the process at its start", (env) => {
  expect(() => readConfig(telemetryVariables, env)).toThrow(ConfigurationError)
})
