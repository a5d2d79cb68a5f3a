/** The code of an error: an SQLSTATE of Postgres (its manual, appendix A), Prisma's or Node's. "": it has none. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
}

/** Postgres has ended a statement at its time limit, or because somebody cancelled it: `query_canceled`. */
export function wasEnded(error: unknown): boolean {
  return errorCodeOf(error) === "57014"
}

/** A statement has waited for a lock for as long as it may: `lock_not_available`. */
export function wasLocked(error: unknown): boolean {
  return errorCodeOf(error) === "55P03"
}

/**
 * SQLSTATE codes (Postgres's manual, appendix A) of a server that is unavailable or ended our transaction, or of a pooler that gave
 * us a connection without our prepared statements (26000, 42P05).
 */
const transientStates =
  /^(08|25006|25P03|25P04|26000|28|3D000|40001|40P01|42501|42P05|53|55000|55P03|57014|57P0|58|XX)/

/** Node's codes for network and TLS errors, for certificates that somebody must renew, and for a lack of file descriptors, ports or memory. */
const transientCodes =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT|EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL|EPROTO|ERR_SSL_|ERR_TLS_|ERR_STREAM_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/

// Messages of errors without a code. The last one occurs once per connection after a migration has changed a
// table.
const transientMessages =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered|SSL connection|received invalid response|cached plan must not change/

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = errorCodeOf(error)
  return transientStates.test(code) || transientCodes.test(code) || transientMessages.test(error.message)
}
