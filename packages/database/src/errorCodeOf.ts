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
