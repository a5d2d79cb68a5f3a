/**
 * SQLSTATE classes and codes of a server that is away, starting, stopping, full, broken, read-only or closed to us; see
 * the manual's appendix A.
 */
const passing = /^(08|25006|28|3D000|40001|40P01|42501|53|55P03|57014|57P0|58|XX)/

/** Values that the statement was given: out of range, not representable, against a constraint. */
const ofTheData = /^(22|23)/

/**
 * True where the same statement may succeed later, once the database is back or an operator has mended it; false where
 * the statement itself is at fault and would fail again.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (passing.test(code)) return true
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)) return true
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered/.test(
    error.message,
  )
}

/** True where the database refused the values for good: with others the statement would have succeeded. */
export function isFaultOfData(error: unknown): boolean {
  return error instanceof Error && ofTheData.test(codeOf(error))
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : ""
}
