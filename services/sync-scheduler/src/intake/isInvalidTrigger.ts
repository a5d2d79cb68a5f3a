/** Whether `recordTriggers` failed because a column cannot store one of its values (SQLSTATE class 22). */
export function isInvalidTrigger(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("22")
}
