import { isUnavailable } from "@sitewire/database"

/** Prisma's codes for a database that is unreachable, slow to answer, gone in the middle, or out of connections. */
const awayCodes = ["P1001", "P1002", "P1008", "P1017", "P2024", "P2037"]

/**
 * True where the database is away or overloaded and the same call may succeed later. Prisma wraps most of the driver's
 * errors in its own, and hangs the original on `meta`.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (isUnavailable(error)) return true
  if (awayCodes.includes(codeOf(error))) return true
  const original = originalCode(error)
  return original !== undefined && isUnavailable(Object.assign(new Error(), { code: original }))
}

/** A row with the same id was there first. */
export function isTaken(error: unknown): boolean {
  return codeOf(error) === "P2002"
}

/** The row to change is not there. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === "P2025"
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
}

/** SQLSTATE of the statement that failed, wherever this version of Prisma has put it. */
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
