export { openErasureList } from "./erasureList.ts"
export { type Erasures, readErasures } from "./readErasures.ts"
export { digestsOf, type Subject, subjectOf, subjectSchema } from "./subject.ts"
export { finalPassAfterMs, listMaxAgeMs, storeMaxMs } from "./timeLimits.ts"
