export { type Acquired, createLimiter, type Limiter, type LimiterSettings } from "./createLimiter.ts"
