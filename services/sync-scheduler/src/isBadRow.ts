/** Whether an invalid value or a violated constraint made a statement fail (SQLSTATE classes 22 and 23). */
export function isBadRow(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^2[23]/.test(String(error.code))
}
