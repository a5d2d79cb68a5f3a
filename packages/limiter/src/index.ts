export {
  type Acquired,
  createLimiter,
  type Limiter,
  type LimiterSettings,
  type Seen,
} from "./createLimiter.ts"
