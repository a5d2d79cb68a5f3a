/**
 * The time limit of a call, which starts with the constructor. A base class and not an object: a call then costs one
 * allocation fewer.
 */
export abstract class TimeLimit {
  readonly start = performance.now()
  #limitMs: number
  #timer: NodeJS.Timeout

  constructor(limitMs: number) {
    this.#limitMs = limitMs
    this.#timer = setTimeout(onTimer, limitMs, this)
  }

  /** @param limitMs the limit that was exceeded, from the start. */
  abstract onTimeout(limitMs: number): void

  /** Replaces the limit by one that starts now. */
  limitFromNow(ms: number): void {
    clearTimeout(this.#timer)
    this.#limitMs = performance.now() - this.start + ms
    this.#timer = setTimeout(onTimer, ms, this)
  }

  /** Reports a timeout if the limit has passed: an event and the timer can become due in the same turn of the event loop. */
  isTimedOut(now: number): boolean {
    if (now - this.start <= this.#limitMs) return false
    this.onTimeout(this.#limitMs)
    return true
  }

  endLimit(): void {
    clearTimeout(this.#timer)
  }

  onTimer(): void {
    // The event loop's clock has whole milliseconds, so a timer can fire a fraction of one early.
    const remainingMs = this.#limitMs - (performance.now() - this.start)
    if (remainingMs > 0) this.#timer = setTimeout(onTimer, Math.ceil(remainingMs), this)
    else this.onTimeout(this.#limitMs)
  }
}

function onTimer(limit: TimeLimit): void {
  limit.onTimer()
}
