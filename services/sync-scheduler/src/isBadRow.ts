/**
 * Whether a statement failed because of the values of one row (SQLSTATE classes 22 and 23). Without that row,
 * the statement would succeed.
 */
export function isBadRow(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^2[23]/.test(String(error.code))
}
