/**
 * The time limit of a call, which begins with the construction. A base class, because a separate object would
 * cost an allocation per call.
 */
export abstract class TimeLimit {
  readonly start = performance.now()
  #limitMs: number
  #timer: NodeJS.Timeout

  constructor(limitMs: number) {
    this.#limitMs = limitMs
    this.#timer = setTimeout(onTimer, limitMs, this)
  }

  abstract onTimeout(limitMs: number): void

  limitFromNow(ms: number): void {
    clearTimeout(this.#timer)
    this.#limitMs = performance.now() - this.start + ms
    this.#timer = setTimeout(onTimer, ms, this)
  }

  /** Fails the call, and returns true, if its limit has passed. The timer may not have fired yet. */
  isTimedOut(now: number): boolean {
    if (now - this.start <= this.#limitMs) return false
    this.onTimeout(this.#limitMs)
    return true
  }

  endLimit(): void {
    clearTimeout(this.#timer)
  }

  onTimer(): void {
    // Timers can fire a fraction of a millisecond early.
    const remainingMs = this.#limitMs - (performance.now() - this.start)
    if (remainingMs > 0) this.#timer = setTimeout(onTimer, Math.ceil(remainingMs), this)
    else this.onTimeout(this.#limitMs)
  }
}

function onTimer(limit: TimeLimit): void {
  limit.onTimer()
}
