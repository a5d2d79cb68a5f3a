import { defaultRetryDelays, defaultRetryPeriod, durationSchema, parseDuration } from "@sitewire/contracts"
import { z } from "zod"

const portSchema = z.coerce
  .number("must be a port number")
  .int("must be a port number")
  .min(0, "must be a port number, or 0 for a free one")
  .max(65_535, "must be a port number of at most 65535")

export function portVariable(fallback: number, description: string) {
  return portSchema.default(fallback).describe(description)
}

/** Node's timers cannot wait longer: above 24.8 days, they fire at once. */
const longestTimer = "24d"

/** A variable with a duration such as `10s`. Its value is in milliseconds. */
export function durationVariable(
  fallback: string,
  description: string,
  { min = "0ms", max = longestTimer }: { min?: string; max?: string } = {},
) {
  return durationSchema
    .refine((ms) => ms >= parseDuration(min), `must be at least ${min}`)
    .refine((ms) => ms <= parseDuration(max), `must be at most ${max}`)
    .prefault(fallback)
    .describe(description)
}

/**
 * A retention of 0 is invalid, because it could be understood as unlimited. Many statements lock each stored day and its indexes, and
 * Postgres has room for 6,400 locks by default: with 373 days, some of eight statements at once failed.
 */
export const retentionBounds = { min: "1s", max: "180d" }

export function countVariable(fallback: number, bounds: { min: number; max: number }, description: string) {
  return z.coerce
    .number("must be a whole number")
    .int("must be a whole number")
    .min(bounds.min, `must be at least ${bounds.min}`)
    .max(bounds.max, `must be at most ${bounds.max}`)
    .default(fallback)
    .describe(description)
}

export function booleanVariable(description: string, fallback: "true" | "false" = "false") {
  return z
    .enum(["true", "false"], "must be true or false")
    .default(fallback)
    .transform((text) => text === "true")
    .describe(description)
}

export function listVariable(description: string) {
  return z
    .string()
    .transform((text) =>
      text
        .split(",")
        .map((value) => value.trim())
        .filter((value) => value !== ""),
    )
    .describe(description)
}

export const processVariables = {
  LOG_LEVEL: z
    .enum(["trace", "debug", "info", "warn", "error"], "must be trace, debug, info, warn or error")
    .default("info")
    .describe("The least severe level that is logged."),
  OPS_HOST: z.string().default("0.0.0.0").describe("Address on which /livez, /readyz and /metrics listen."),
  OPS_PORT: portVariable(9090, "Port of /livez, /readyz and /metrics; 0 picks a free one."),
  SHUTDOWN_DEADLINE: durationVariable("25s", "How long a stop may take before it is forced."),
  STARTUP_DEADLINE: durationVariable("60s", "How long to wait at start for Kafka and Postgres."),
}

export const databaseVariables = {
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must be a postgresql:// URL")
    .meta({ description: "Postgres, as a URL with its credentials.", secret: true }),
  DATABASE_PASSWORD_COMMAND: z
    .string()
    .optional()
    .describe(
      "A program, with its arguments, that prints the password of the account in DATABASE_URL, such as a token of a cloud. It runs before a connection is opened, without a shell, at most every 10 s, and must end within 10 s.",
    ),
  DATABASE_POOL_SIZE: countVariable(
    5,
    { min: 1, max: 100 },
    "Connections to Postgres that this process may open.",
  ),
}

/** What one site may use, so that the holder of its API key cannot fill Postgres. Schedulers and consoles need the same. */
export const siteVariables = {
  SITE_MAX_CONNECTIONS: countVariable(50, { min: 1, max: 1_000 }, "Connections of one site, at most."),
  SITE_MAX_BYTES: countVariable(
    256 * 1024 * 1024,
    { min: 1024 * 1024, max: 1024 ** 4 },
    "What the contents of one site's connections may use in Postgres, decoded, in bytes: those that running syncs have stored so far and those that were replaced in the last ten minutes included. A sync that would need more fails, and the content before it stays. Use the same value for schedulers and consoles.",
  ),
}

const retryDelays = "Delays between the attempts of a delivery; the last one repeats. Each has a topic."

/** The retry schedule. The setup job reads it, too, because there is a retry topic for each delay. */
export const retryVariables = {
  RETRY_DELAYS: listVariable(retryDelays)
    .pipe(z.array(durationSchema).min(1, "must name at least one delay"))
    .refine(
      (delays) => delays.every((delay, at) => delay > (delays[at - 1] ?? 0)),
      "must be durations in growing order, for example 1m,5m,15m,1h",
    )
    .prefault(defaultRetryDelays.join(","))
    .describe(retryDelays),
  RETRY_PERIOD: durationVariable(
    defaultRetryPeriod,
    "A delivery that still fails after this time becomes dead.",
  ),
}

export const headerVariables = {
  SERVICE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9]+$/, "must be one word of letters and digits")
    .default("Sitewire")
    .describe("One word that names the service in headers: X-<Service>-Signature."),
}
