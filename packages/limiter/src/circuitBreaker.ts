export type BreakerSettings = {
  /** Failures in a row that open the breaker; Infinity: never. */
  breakerFailures: number
  /**
   * How long an open breaker waits before it admits a probe. Each failed probe doubles the wait, up to ten
   * times this value.
   */
  breakerCooldownMs: number
}

export type Breaker = {
  failures: number
  openedAt: number | null
  openUntil: number
  cooldownMs: number
}

export function createBreaker({ breakerCooldownMs }: BreakerSettings): Breaker {
  return { failures: 0, openedAt: null, openUntil: 0, cooldownMs: breakerCooldownMs }
}

export function isBreakerOpen(breaker: Breaker): boolean {
  return breaker.openedAt !== null
}

export function isCoolDownOver(breaker: Breaker, now: number): boolean {
  return now >= breaker.openUntil
}

export function countSuccess(breaker: Breaker, { breakerCooldownMs }: BreakerSettings): boolean {
  const wasOpen = isBreakerOpen(breaker)
  breaker.failures = 0
  breaker.cooldownMs = breakerCooldownMs
  breaker.openedAt = null
  breaker.openUntil = 0
  return wasOpen
}

export function countFailure(
  breaker: Breaker,
  { breakerFailures, breakerCooldownMs }: BreakerSettings,
  { isProbe, now }: { isProbe: boolean; now: number },
): boolean {
  breaker.failures += 1
  if (breaker.failures < breakerFailures) return false
  const wasOpen = isBreakerOpen(breaker)
  // A call that is no probe started before the breaker opened. Its failure does not lengthen the cool-down.
  if (wasOpen && !isProbe) return false
  if (wasOpen) breaker.cooldownMs = Math.min(breaker.cooldownMs * 2, breakerCooldownMs * 10)
  breaker.openedAt ??= now
  breaker.openUntil = now + breaker.cooldownMs
  return !wasOpen
}
