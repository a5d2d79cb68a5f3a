export { createLimiter, type Limiter, type LimiterSettings } from "./createLimiter.ts"
export type { Acquired, PermitOutcome } from "./permits.ts"
