import type { Failure } from "./classifyNetworkError.ts"
import type { Exchange, Sink } from "./exchange.ts"
import type { Aborted, Excerpt, Failed, Headers, Outcome, Timing } from "./outcome.ts"

const EXCERPT_BYTES = 1_024
const DRAIN_BYTES = 64 * 1_024
const DRAIN_MS = 1_000
const NO_BYTES = Buffer.alloc(0)

/**
 * Resolves with the response's head. Then reads up to 64 KiB of the body within 1 s, so that the connection
 * can be reused. Closing it is cheaper than reading more.
 */
export class ResponseSink implements Sink, Excerpt {
  readonly #resolve: (outcome: Outcome) => void
  readonly #reject: (error: Error) => void
  #excerpt: Buffer = NO_BYTES
  #hasHead = false
  #complete = false
  #declaredBytes = 0
  #readBytes = 0
  #onComplete: (() => void) | undefined

  constructor(resolve: (outcome: Outcome) => void, reject: (error: Error) => void) {
    this.#resolve = resolve
    this.#reject = reject
  }

  onHead(exchange: Exchange, status: number, headers: Headers): void {
    this.#hasHead = true
    this.#declaredBytes = Number(headers["content-length"] ?? 0)
    const timing = exchange.timing("head")
    exchange.limitFromNow(DRAIN_MS)
    this.#respond(exchange, status, headers, timing)
  }

  onData(exchange: Exchange, chunk: Buffer): void {
    this.#readBytes += chunk.length
    const missing = EXCERPT_BYTES - this.#excerpt.length
    if (missing > 0) {
      // Copied, because a slice would keep the socket's whole 64 KiB buffer in memory.
      this.#excerpt = Buffer.concat([this.#excerpt, chunk.subarray(0, missing)])
      if (chunk.length >= missing) this.#settle()
    }
    if (
      this.#excerpt.length === EXCERPT_BYTES &&
      Math.max(this.#readBytes, this.#declaredBytes) > DRAIN_BYTES
    )
      exchange.abort()
  }

  onEnd(): void {
    this.#settle()
  }

  onFail(exchange: Exchange, failure: Failure): void {
    const { ip } = exchange
    this.#endEarly(exchange, { kind: "failed", ...failure, ...(ip === undefined ? {} : { ip }) })
  }

  onAbort(exchange: Exchange): void {
    this.#endEarly(exchange, { kind: "aborted" })
  }

  #endEarly(exchange: Exchange, outcome: Omit<Failed, "timing"> | Omit<Aborted, "timing">): void {
    const timing = exchange.timing("now")
    const { status } = exchange
    // The partner has accepted the request, whatever follows the status line.
    if (!this.#hasHead && status >= 200 && status < 300) this.#respond(exchange, status, {}, timing)
    // Without effect if the partner has responded.
    this.#resolve({ ...outcome, timing })
    this.#settle()
  }

  #respond(exchange: Exchange, status: number, headers: Headers, timing: Timing): void {
    const ip = exchange.ip ?? ""
    this.#resolve({ kind: "responded", status, headers, excerpt: this, ip, timing })
  }

  onError(error: Error): void {
    this.#reject(error)
  }

  received(): Buffer {
    return this.#excerpt
  }

  complete(): boolean {
    return this.#complete
  }

  within(waitMs: number): Promise<Buffer> {
    if (this.#complete) return Promise.resolve(this.#excerpt)
    return new Promise((resolve) => {
      const previous = this.#onComplete
      const done = () => {
        clearTimeout(timer)
        resolve(this.#excerpt)
      }
      const timer = setTimeout(done, waitMs)
      this.#onComplete = () => {
        previous?.()
        done()
      }
    })
  }

  #settle(): void {
    this.#complete = true
    this.#onComplete?.()
    this.#onComplete = undefined
  }
}
