export {
  type Acquired,
  createLimiter,
  type KeyStatus,
  type Limiter,
  type LimiterSettings,
  type PermitOutcome,
} from "./createLimiter.ts"
