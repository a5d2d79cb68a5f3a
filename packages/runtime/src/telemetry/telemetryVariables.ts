import { z } from "zod"
import type { Config } from "../config/config.ts"

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const

export type SamplerName = (typeof samplers)[number]

const exporter = (fallback: "otlp" | "none", description: string) =>
  z.enum(["otlp", "none"], "must be otlp or none").default(fallback).meta({ description })

const endpoint = (description: string) =>
  z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .optional()
    .meta({ description })

const headers = (description: string) => z.string().optional().meta({ description, secret: true })

/**
 * Variables of the OpenTelemetry specification. OpenTelemetry's packages read endpoints, headers, OTEL_SERVICE_NAME and
 * OTEL_RESOURCE_ATTRIBUTES from the environment themselves: these are here to be checked and documented. They also read
 * OTEL_EXPORTER_OTLP_TIMEOUT, _COMPRESSION, _CERTIFICATE, _CLIENT_CERTIFICATE and _CLIENT_KEY, which are not here.
 */
export const telemetryVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(
    "OpenTelemetry collector, such as http://collector:4318. Without an endpoint, nothing is sent.",
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint("Where traces go instead, with the path."),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint("Where metrics go instead, with the path."),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: endpoint("Where logs go instead, with the path."),
  OTEL_EXPORTER_OTLP_HEADERS: headers("Headers for the collector, such as authorization=Bearer%20abc."),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers("Headers for traces, besides or instead of the others."),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: headers("Headers for metrics, besides or instead of the others."),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: headers("Headers for logs, besides or instead of the others."),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal("http/protobuf", "must be http/protobuf")
    .default("http/protobuf")
    .meta({ description: "Protocol of the collector. There is no other choice." }),
  OTEL_TRACES_EXPORTER: exporter("otlp", "Whether traces are sent, if an endpoint is set: otlp or none."),
  OTEL_METRICS_EXPORTER: exporter(
    "none",
    "Whether metrics are sent as well as shown at /metrics: otlp or none.",
  ),
  OTEL_LOGS_EXPORTER: exporter(
    "none",
    "Whether logs are sent as well as written to standard output: otlp or none.",
  ),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce
    .number("must be milliseconds")
    .int("must be milliseconds")
    .min(1_000, "must be at least 1000")
    .max(3_600_000, "must be at most 3600000")
    .default(60_000)
    .meta({ description: "Milliseconds between two exports of metrics." }),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `must be one of ${samplers.join(", ")}`)
    .default("parentbased_always_on")
    .meta({ description: "Which traces are recorded. With load, use parentbased_traceidratio." }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("must be a number")
    .min(0, "must be at least 0")
    .max(1, "must be at most 1")
    .default(1)
    .meta({ description: "The part of the traces that a sampler with traceidratio records, such as 0.01." }),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .meta({ description: "service.name of what is sent. Default: the name of the process." }),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional().meta({
    description: "Other attributes of the resource, such as deployment.environment.name=production.",
  }),
  OTEL_SDK_DISABLED: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .transform((text) => text === "true")
    .meta({ description: "Sends nothing, whatever the other variables are." }),
}

export type TelemetryConfig = Config<typeof telemetryVariables>

export type Signals = { traces: boolean; metrics: boolean; logs: boolean }

/** Which signals are sent. None is sent without an endpoint, although the specification has a default endpoint. */
export function enabledSignals(config: TelemetryConfig): Signals {
  const isEnabled = (chosen: "otlp" | "none", ownEndpoint: string | undefined) =>
    !config.OTEL_SDK_DISABLED &&
    chosen === "otlp" &&
    (ownEndpoint ?? config.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined
  return {
    traces: isEnabled(config.OTEL_TRACES_EXPORTER, config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT),
    metrics: isEnabled(config.OTEL_METRICS_EXPORTER, config.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT),
    logs: isEnabled(config.OTEL_LOGS_EXPORTER, config.OTEL_EXPORTER_OTLP_LOGS_ENDPOINT),
  }
}
