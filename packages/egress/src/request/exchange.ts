import type { IncomingHttpHeaders } from "node:http"
import type { Dispatcher } from "undici"
import { classify, type Failure, type Phase, timedOut } from "./classifyNetworkError.ts"
import { localFault } from "../connection/localResourceError.ts"
import type { Headers, Timing } from "./outcome.ts"
import type { Connection, Pool, User } from "../connection/connectionPool.ts"
import type { Resolve } from "../address/resolveAndVet.ts"
import type { Target } from "../address/parseTarget.ts"

/** What a call does with its answer. After `onEnd`, `onFail`, `onAbort` or `onBroken` nothing is called. */
export type Sink = {
  onHead(exchange: Exchange, status: number, headers: Headers): void
  onData(exchange: Exchange, chunk: Buffer): void
  onEnd(exchange: Exchange): void
  /** Before the head or, if that has come, during the body. */
  onFail(exchange: Exchange, failure: Failure): void
  onAbort(exchange: Exchange): void
  /** The caller's own fault, such as a header with a line break. */
  onBroken(error: Error): void
}

export type ExchangeOptions = {
  pool: Pool
  resolve: Resolve
  target: Target
  method: string
  /** Alternating names and values. */
  headers: string[]
  body: Uint8Array | null
  limitMs: number
  /** May be sent a second time, if a kept connection is lost before a byte of the answer. */
  repeatable: boolean
  beforeWrite: (() => boolean) | undefined
  signal: AbortSignal | undefined
  sink: Sink
  onDone: (exchange: Exchange) => void
}

const NO_ADDRESSES: readonly string[] = []
const MAX_INFORMATIONAL = 16

/**
 * One request and its answer: looks the name up, gets a connection, writes, reads, and holds all of it to
 * one limit of time that starts with the constructor's call.
 *
 * A class, for it is the state that undici's parser calls back, ten thousand times a second: methods on a
 * prototype cost nothing per request, closures over this state would be allocated anew for each.
 */
export class Exchange implements Dispatcher.DispatchHandler, User {
  readonly target: Target
  addresses: readonly string[] = NO_ADDRESSES
  fresh = false
  /** Where it stands among the calls under way. */
  place = 0
  readonly startedAt = new Date()
  readonly #options: ExchangeOptions
  readonly #start = performance.now()
  #limitMs: number
  #phase: Phase = "lookup"
  #done = false
  #waits = false
  #timer: NodeJS.Timeout
  #connection: Connection | undefined
  #controller: Dispatcher.DispatchController | undefined
  #informational = 0
  #headAt = 0
  #lookedUpAt = 0
  #connectedAt = 0
  #writtenAt = 0
  #firstByteAt = 0

  constructor(options: ExchangeOptions) {
    this.target = options.target
    this.#options = options
    this.#limitMs = options.limitMs
    this.#timer = setTimeout(onTimer, options.limitMs, this)
  }

  begin(): void {
    const { signal } = this.#options
    if (signal?.aborted) {
      this.abort()
      return
    }
    signal?.addEventListener("abort", this, { once: true })
    if (this.target.literal === undefined) {
      this.#lookUp().catch((error: Error) => this.#broken(error))
    } else {
      this.#wait(this.target.literal)
    }
  }

  async #lookUp(): Promise<void> {
    const resolution = await this.#options.resolve(this.target.host)
    if (this.#done) return
    this.#lookedUpAt = performance.now()
    const { host } = this.target
    if (resolution.kind === "vetted") {
      this.#wait(resolution.addresses)
    } else if (resolution.kind === "blocked") {
      const { address, range } = resolution
      this.fail({
        error: "blocked-address",
        message: `${host} resolves to ${address} (${range}), which is not called`,
      })
    } else {
      this.fail({ error: "dns", message: `the name ${host} could not be resolved (${resolution.code})` })
    }
  }

  #wait(addresses: readonly string[]): void {
    this.addresses = addresses
    this.#phase = "wait"
    this.#options.pool.acquire(this)
    this.#waits = !this.#done && this.#connection === undefined
  }

  onConnection(connection: Connection): void {
    this.#connection = connection
    if (this.#waits) {
      this.#waits = false
      this.#connectedAt = performance.now()
    }
    const { method, headers, body } = this.#options
    connection.client.dispatch({ method, path: this.target.path, headers, body }, this)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    const { beforeWrite } = this.#options
    if (beforeWrite !== undefined && !beforeWrite()) {
      // Ends the call and destroys the client, which takes the request from its queue. The controller is what the
      // writer looks at when this returns, so it is told as well.
      this.abort()
      controller.abort(new Error("withdrawn before it was written"))
      return
    }
    this.#writtenAt = performance.now()
  }

  onResponseStarted(): void {
    if (this.#firstByteAt === 0) this.#firstByteAt = performance.now()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.#done) return
    const now = performance.now()
    if (now - this.#start > this.#limitMs) {
      // The head and the timer became due in the same turn of the loop.
      this.fail(timedOut("open", this.target.host, this.#limitMs))
    } else if (status >= 200) {
      this.#headAt = now
      if (this.#connection !== undefined) this.#connection.headAwaited = false
      this.#options.sink.onHead(this, status, flatten(headers))
    } else if (++this.#informational > MAX_INFORMATIONAL) {
      this.fail({
        error: "protocol",
        message: `${this.target.host} sent more than ${MAX_INFORMATIONAL} 1xx answers`,
      })
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#done) this.#options.sink.onData(this, chunk)
  }

  onResponseEnd(): void {
    if (this.#done) return
    const connection = this.#finish()
    if (connection !== undefined) this.#options.pool.release(connection)
    this.#options.sink.onEnd(this)
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#done) return
    if (isCallersFault(error)) {
      this.#broken(error)
      return
    }
    const phase = this.#currentPhase()
    const ours = phase === "connect" ? localFault(error) : undefined
    if (ours !== undefined) {
      this.#broken(ours)
      return
    }
    const failure = classify(error, phase, this.target.host)
    if (failure.error === "reset" && this.#wasKeptAndSilent()) this.#repeat()
    else this.fail(failure)
  }

  /**
   * A server may close a kept connection at the moment at which the next request is written to it. That says
   * nothing about the request, and costing it an attempt would delay it by the first retry delay.
   */
  #wasKeptAndSilent(): boolean {
    const kept = this.#connection !== undefined && this.#connection.connectMs === undefined
    return kept && this.#options.repeatable && this.#firstByteAt === 0
  }

  #repeat(): void {
    const connection = this.#connection
    this.#connection = undefined
    this.#controller = undefined
    // Kept connections tend to be closed together, so a second one would be no better.
    this.fresh = true
    if (connection !== undefined) this.#options.pool.discard(connection)
    this.#wait(this.addresses)
  }

  /** Ends the call and closes its socket, at whatever step it is. */
  fail(failure: Failure): void {
    if (this.#end()) this.#options.sink.onFail(this, failure)
  }

  abort(): void {
    if (this.#end()) this.#options.sink.onAbort(this)
  }

  #broken(error: Error): void {
    if (this.#end()) this.#options.sink.onBroken(error)
  }

  /** Replaces the limit by one that starts now, for what follows the head. */
  limitFromNow(ms: number): void {
    clearTimeout(this.#timer)
    this.#limitMs = performance.now() - this.#start + ms
    this.#timer = setTimeout(onTimer, ms, this)
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.#done) this.#controller?.resume()
  }

  get address(): string | undefined {
    return this.#connection?.address ?? this.addresses[0]
  }

  /** @param until "head" to count up to the answer's head, "now" to count up to this moment. */
  timing(until: "head" | "now"): Timing {
    const timing: Timing = {
      startedAt: this.startedAt,
      totalMs: (until === "head" ? this.#headAt : performance.now()) - this.#start,
    }
    if (this.#lookedUpAt !== 0) timing.lookupMs = this.#lookedUpAt - this.#start
    if (this.#connectedAt !== 0) timing.waitedMs = this.#connectedAt - (this.#lookedUpAt || this.#start)
    const connection = this.#connection
    if (connection?.connectMs !== undefined) timing.connectMs = connection.connectMs
    if (connection?.tlsMs !== undefined) timing.tlsMs = connection.tlsMs
    if (this.#firstByteAt !== 0) timing.firstByteMs = this.#firstByteAt - this.#writtenAt
    return timing
  }

  onTime(): void {
    // The loop's clock has whole milliseconds, so a timer can be early by a part of one.
    const left = this.#limitMs - (performance.now() - this.#start)
    if (left > 0) this.#timer = setTimeout(onTimer, Math.ceil(left), this)
    else this.fail(timedOut(this.#currentPhase(), this.target.host, this.#limitMs))
  }

  /** The caller's signal. */
  handleEvent(): void {
    this.abort()
  }

  #currentPhase(): Phase {
    return this.#connection?.phase ?? this.#phase
  }

  #end(): boolean {
    if (this.#done) return false
    const connection = this.#finish()
    if (connection !== undefined) this.#options.pool.discard(connection)
    else if (this.#waits) this.#options.pool.leave(this)
    return true
  }

  #finish(): Connection | undefined {
    this.#done = true
    clearTimeout(this.#timer)
    this.#options.signal?.removeEventListener("abort", this)
    this.#options.onDone(this)
    return this.#connection
  }
}

function onTimer(exchange: Exchange): void {
  exchange.onTime()
}

function flatten(headers: IncomingHttpHeaders): Headers {
  for (const name in headers) {
    const value = headers[name]
    if (typeof value !== "string") headers[name] = value?.join(", ")
  }
  return headers as Headers
}

function isCallersFault(error: Error): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return (
    code === "UND_ERR_INVALID_ARG" ||
    code === "UND_ERR_NOT_SUPPORTED" ||
    code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"
  )
}
