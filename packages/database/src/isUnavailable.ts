/**
 * SQLSTATE classes and codes of a server that is away, starting, stopping, full, broken, read-only or closed to us, or that
 * has ended our transaction; see the manual's appendix A.
 */
const passing = /^(08|25006|25P03|25P04|28|3D000|40001|40P01|42501|53|55000|55P03|57014|57P0|58|XX)/

/** The network's, this machine's (no file or port left) and those of TLS. */
const passingHere =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT|EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL|EPROTO|ERR_SSL_)/

// The driver gives these no code. The last one comes once a connection, where a migration has changed a table beneath it.
const passingTexts =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered|SSL connection|cached plan must not change/

/**
 * What only a value can cause: too long, out of range, not representable. Not the rest of classes 22 and 23, such as a
 * column that a newer version wants filled: those refuse every record alike, and the statement is at fault.
 */
const ofTheData = /^(22001|22003|22007|22008|22021|22P02|22P03|22P05)/

/**
 * True where the same statement may succeed later, once the database is back or an operator has mended it; false where
 * the statement itself is at fault and would fail again.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  return passing.test(code) || passingHere.test(code) || passingTexts.test(error.message)
}

/** True where the database refused the values for good: with others the statement would have succeeded. */
export function isFaultOfData(error: unknown): boolean {
  return error instanceof Error && ofTheData.test(codeOf(error))
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : ""
}
