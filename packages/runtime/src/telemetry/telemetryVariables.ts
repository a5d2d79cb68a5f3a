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

const endpoint = (description: string) =>
  z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .optional()
    .describe(description)

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
  OTEL_EXPORTER_OTLP_HEADERS: headers("Headers for the collector, such as authorization=Bearer%20abc."),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers("Headers for traces, besides or instead of the others."),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal("http/protobuf", "must be http/protobuf")
    .default("http/protobuf")
    .describe("Protocol of the collector. There is no other choice."),
  OTEL_TRACES_EXPORTER: z
    .enum(["otlp", "none"], "must be otlp or none")
    .default("otlp")
    .describe("Whether traces are sent, if an endpoint is set: otlp or none."),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `must be one of ${samplers.join(", ")}`)
    .default("parentbased_always_on")
    .describe("Which traces are recorded. With load, use parentbased_traceidratio."),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("must be a number")
    .min(0, "must be at least 0")
    .max(1, "must be at most 1")
    .default(1)
    .describe("The part of the traces that a sampler with traceidratio records, such as 0.01."),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe("service.name of what is sent. Default: the name of the process."),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .optional()
    .describe("Other attributes of the resource, such as deployment.environment.name=production."),
  OTEL_SDK_DISABLED: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .transform((text) => text === "true")
    .describe("Sends nothing, whatever the other variables are."),
}

export type TelemetryConfig = Config<typeof telemetryVariables>

/** Nothing is sent without an endpoint, although the specification has a default endpoint. */
export function sendsTraces(config: TelemetryConfig): boolean {
  const endpoint = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT
  return !config.OTEL_SDK_DISABLED && config.OTEL_TRACES_EXPORTER === "otlp" && endpoint !== undefined
}
