import type { Failure } from "./classifyNetworkError.ts"
import type { Exchange, Sink } from "./exchange.ts"
import type { Excerpt, Headers, Outcome } from "./outcome.ts"

const EXCERPT_BYTES = 1_024
const DRAIN_BYTES = 64 * 1_024
const DRAIN_MS = 1_000
const NOTHING = Buffer.alloc(0)

/**
 * Answers with the head, and reads the body behind the caller's back: its first 1 KiB is kept as the
 * excerpt, and up to 64 KiB within 1 s are read so that the connection can be used again; beyond that
 * closing it is cheaper than reading on.
 */
export class AnswerSink implements Sink, Excerpt {
  readonly #resolve: (outcome: Outcome) => void
  readonly #reject: (error: Error) => void
  #excerpt: Buffer = NOTHING
  #answered = false
  #complete = false
  #declared = 0
  #read = 0
  #wake: (() => void) | undefined

  constructor(resolve: (outcome: Outcome) => void, reject: (error: Error) => void) {
    this.#resolve = resolve
    this.#reject = reject
  }

  onHead(exchange: Exchange, status: number, headers: Headers): void {
    this.#answered = true
    this.#declared = Number(headers["content-length"] ?? 0)
    const timing = exchange.timing("head")
    exchange.limitFromNow(DRAIN_MS)
    const address = exchange.address ?? ""
    this.#resolve({ kind: "answered", status, headers, excerpt: this, address, timing })
  }

  onData(exchange: Exchange, chunk: Buffer): void {
    this.#read += chunk.length
    const missing = EXCERPT_BYTES - this.#excerpt.length
    if (missing > 0) {
      // Copied, for a slice would keep the whole 64 KiB that the socket read.
      this.#excerpt = Buffer.concat([this.#excerpt, chunk.subarray(0, missing)])
      if (chunk.length >= missing) this.#settle()
    }
    if (this.#excerpt.length === EXCERPT_BYTES && Math.max(this.#read, this.#declared) > DRAIN_BYTES)
      exchange.abort()
  }

  onEnd(): void {
    this.#settle()
  }

  onFail(exchange: Exchange, failure: Failure): void {
    if (this.#answered) {
      this.#settle()
      return
    }
    const { address } = exchange
    const timing = exchange.timing("now")
    this.#resolve({ kind: "failed", ...failure, ...(address === undefined ? {} : { address }), timing })
  }

  onAbort(exchange: Exchange): void {
    if (this.#answered) this.#settle()
    else this.#resolve({ kind: "aborted", timing: exchange.timing("now") })
  }

  onBroken(error: Error): void {
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
      const before = this.#wake
      const done = () => {
        clearTimeout(timer)
        resolve(this.#excerpt)
      }
      const timer = setTimeout(done, waitMs)
      this.#wake = () => {
        before?.()
        done()
      }
    })
  }

  #settle(): void {
    this.#complete = true
    this.#wake?.()
    this.#wake = undefined
  }
}
