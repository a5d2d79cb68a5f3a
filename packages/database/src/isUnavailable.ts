/** SQLSTATE classes of a server that is away, starting, stopping or full; see the manual's appendix A. */
const passing = /^(08|53|57P0|40001|40P01|55P03|57014)/

/**
 * True where the database is away or overloaded and the same statement may succeed later; false where the statement
 * itself is at fault and would fail again.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  if (passing.test(code)) return true
  if (/^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/.test(code)) return true
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered/.test(
    error.message,
  )
}
