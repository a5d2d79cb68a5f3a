import { type DestinationStream, type Logger, pino, stdSerializers } from "pino"

export type { Logger } from "pino"

/** Field names whose values never reach a log line, wherever in an object (down to three levels) they stand. */
const secretFields = [
  "authorization",
  "body",
  "cookie",
  "email",
  "password",
  "secret",
  "secrets",
  "signature",
  "token",
  "value",
]

const redactedPaths = secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`])

/**
 * A logger that writes JSON lines and takes out fields that hold secrets or personal data. A last line of defence:
 * code is expected not to log them in the first place.
 */
export function createLogger(
  settings: { service: string; level: string },
  destination?: DestinationStream,
): Logger {
  const options = {
    level: settings.level,
    base: { service: settings.service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: describeError, err: describeError },
    redact: { paths: redactedPaths, censor: "[redacted]" },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** An error as its message, code, stack and causes. Drivers hang whole requests on their errors; those stay out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { type, message, stack } = stdSerializers.err(error)
  return { type, message, stack, ...("code" in error ? { code: error.code } : {}) }
}
