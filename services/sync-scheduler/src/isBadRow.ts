import { errorCodeOf } from "@sitewire/database"

/** Whether an invalid value or a violated constraint made a statement fail (SQLSTATE classes 22 and 23). */
export function isBadRow(error: unknown): boolean {
  return /^2[23]/.test(errorCodeOf(error))
}
