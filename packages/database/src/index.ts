export { batchWrites, isBadRow, type Writing, writeParts } from "./batchWrites.ts"
export { dropDay, makeDays, readDaysAhead } from "./days.ts"
export { defineStatement, named, plainArray, unnestColumns } from "./defineStatement.ts"
export { keyedDigest, readDigestKey, storedSubject, subjectDigests } from "./digestKey.ts"
export { errorCodeOf, isUnavailable, wasEnded, wasLocked } from "./isUnavailable.ts"
export type { DatabaseAccess } from "./login.ts"
export { type BusyRetry, type LockHolder, migrate } from "./migrate.ts"
export { openPool, type Pool, type PoolSettings, type Row, type Sql } from "./pool.ts"
export { readClock } from "./readClock.ts"
export { readUnvacuumedRows } from "./readUnvacuumedRows.ts"
export { openRequestHeaders, sealRequestHeaders } from "./requestHeaders.ts"
export { ensureProcessRoles } from "./roles/ensureProcessRoles.ts"
export { type ProcessWithRole, roleOf } from "./roles/processRights.ts"
export { createScanStart } from "./scanStart.ts"
export {
  readSealingKeys,
  type SealingKeys,
  seal,
  sealContexts,
  sealingKeyId,
  sealingVariables,
  unseal,
} from "./seal.ts"
export { sealedTables } from "./sealedTables.ts"
export { type OldRows, startRetention } from "./startRetention.ts"
export { type Clocks, startStopwatch } from "./stopwatch.ts"
export { beginWithLimit, oneAtATime, onOwnConnection, withinTime } from "./transactions.ts"
