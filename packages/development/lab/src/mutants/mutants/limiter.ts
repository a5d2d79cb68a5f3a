import type { Mutant } from "../mutant.ts"

export const limiterMutants: readonly Mutant[] = [
  {
    name: "Limiter: an open circuit breaker admits several probes at a time",
    file: "packages/limiter/src/createLimiter.ts",
    find: "isCoolDownOver(breaker, now()) && inFlight.length === 0",
    replace: "isCoolDownOver(breaker, now())",
    tests: ["packages/limiter/src/createLimiter.test.ts"],
    testName: "a probe closes it",
  },
  {
    name: "Limiter: the limit of a key does not grow with success",
    file: "packages/limiter/src/createLimiter.ts",
    find: "Math.min(maxConcurrency, state.limit + 1)",
    replace: "state.limit",
    tests: ["packages/limiter/src/createLimiter.test.ts"],
    testName: "one more with each success",
  },
  {
    name: "Limiter: slow keys may use all permits",
    file: "packages/limiter/src/createLimiter.ts",
    find: "    if (responseMs(state) < slowMs) return state.limit\n",
    replace: "    if (state.limit >= 0) return state.limit\n",
    tests: ["packages/limiter/src/createLimiter.test.ts"],
    testName: "slow keys share the permits for slow keys",
  },
  {
    name: "Limiter: a key that was paused starts with all its permits",
    file: "packages/limiter/src/createLimiter.ts",
    find: '    state.limit = 1\n    rejectWaiting(state, "paused")',
    replace: '    rejectWaiting(state, "paused")',
    tests: ["packages/limiter/src/createLimiter.test.ts"],
    testName: "a paused key rejects waiting callers, and then starts with one permit",
  },
  {
    name: "Limiter: a key that has recovered starts with all its permits",
    file: "packages/limiter/src/createLimiter.ts",
    find: "state.limit = closed ? 1 : Math.min(maxConcurrency, state.limit + 1)",
    replace: "state.limit = Math.min(maxConcurrency, state.limit + 1)",
    tests: ["packages/limiter/src/createLimiter.test.ts"],
    testName: "the limit then grows with each success",
  },
  {
    name: "Limiter: a failed probe does not make the cool-down longer",
    file: "packages/limiter/src/circuitBreaker.ts",
    find: "breaker.cooldownMs * 2",
    replace: "breaker.cooldownMs",
    tests: ["packages/limiter/src/createLimiter.test.ts"],
    testName: "a failed probe doubles the cool-down",
  },
]
