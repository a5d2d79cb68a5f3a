/**
 * True for an error of a row's values (SQLSTATE classes 22 and 23): without the row, the statement would
 * succeed.
 */
export function isBadRow(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^2[23]/.test(String(error.code))
}
