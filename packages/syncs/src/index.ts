export { allSyncs } from "./allSyncs.ts"
export { changeSource } from "./changeSource.ts"
export {
  type BadRow,
  type Claim,
  type ClaimInput,
  claimDueSyncs,
  continueClaims,
  type FreePermits,
  startGraceMs,
} from "./claimDueSyncs.ts"
export { createWindow } from "./createWindow.ts"
export { deleteOldSyncs, deletionPace } from "./deleteOldSyncs.ts"
export { deletePreviousContents } from "./deletePreviousContents.ts"
export { earliestStart, earliestStartColumn } from "./earliestStart.ts"
export { type Completion, type Finish, finishRuns } from "./finishRuns.ts"
export { claimChanges, readOldestChange, settleChanges, type UnpublishedChange } from "./publishChanges.ts"
export { type DueSyncs, readDueSyncs } from "./readDueSyncs.ts"
export { type CompactedTrigger, recordTriggers } from "./recordTriggers.ts"
export {
  type BufferedBytes,
  type Chunk,
  chunkContent,
  countBufferedBytes,
  type StoredChunk,
  storeChunk,
} from "./storeContent.ts"
export { storeInTurn } from "./storeInTurn.ts"
export type { Content, GrantedRun, SyncResult, WaitedFor, WindowSettings } from "./syncRun.ts"
export { batchWrites, type WriteSettings, writeParts } from "./writeRows.ts"
