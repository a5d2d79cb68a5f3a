import { errorCodeOf, isUnavailable } from "@sitewire/database"

/**
 * Prisma's codes for: unreachable, time-outs, connection closed, no free connection, no transaction in time,
 * too many connections.
 */
const unavailableCodes = ["P1001", "P1002", "P1008", "P1017", "P2024", "P2028", "P2037"]

export function isDatabaseUnavailable(error: unknown): boolean {
  if (isUnavailable(error)) return true
  if (unavailableCodes.includes(errorCodeOf(error))) return true
  const original = originalCode(error)
  return original !== undefined && isUnavailable(Object.assign(new Error(), { code: original }))
}

export function isUniqueViolation(error: unknown): boolean {
  return errorCodeOf(error) === "P2002"
}

/** The failed statement's SQLSTATE. Prisma's errors contain the driver's error in various places. */
function originalCode(error: unknown): string | undefined {
  for (let value: unknown = error, depth = 0; isRecord(value) && depth < 5; depth++) {
    if (typeof value.originalCode === "string") return value.originalCode
    if (value.kind === "postgres" && typeof value.code === "string") return value.code
    value = value.meta ?? value.driverAdapterError ?? value.cause
  }
  return undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
