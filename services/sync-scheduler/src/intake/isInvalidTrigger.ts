import { errorCodeOf } from "@sitewire/database"

/** Whether `recordTriggers` failed because a column cannot store one of its values (SQLSTATE class 22). */
export function isInvalidTrigger(error: unknown): boolean {
  return errorCodeOf(error).startsWith("22")
}
