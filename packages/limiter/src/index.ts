export {
  type Acquired,
  createLimiter,
  type Limiter,
  type LimiterSettings,
  type PermitOutcome,
} from "./createLimiter.ts"
