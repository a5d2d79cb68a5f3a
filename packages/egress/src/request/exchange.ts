import type { IncomingHttpHeaders } from "node:http"
import type { Dispatcher } from "undici"
import type { Target } from "../address/parseTarget.ts"
import type { Resolve } from "../address/resolveAndVet.ts"
import { statusOf } from "../connection/adaptParser.ts"
import type { Connection } from "../connection/connection.ts"
import type { ConnectionPool, PoolUser } from "../connection/connectionPool.ts"
import { localResourceError } from "../connection/localResourceError.ts"
import {
  classifyNetworkError,
  type Failure,
  isInvalidInput,
  type Phase,
  timedOut,
} from "./classifyNetworkError.ts"
import type { Headers, Timing } from "./outcome.ts"
import { TimeLimit } from "./timeLimit.ts"

/** Receives the events of an exchange. The last one is `onEnd`, `onFail`, `onAbort` or `onError`. */
export type Sink = {
  onHead(exchange: Exchange, status: number, headers: Headers): void
  onData(exchange: Exchange, chunk: Buffer): void
  onEnd(exchange: Exchange): void
  /** The exchange failed, before its head arrived or during its body. */
  onFail(exchange: Exchange, failure: Failure): void
  onAbort(exchange: Exchange): void
  /** Invalid input, such as a header with a line break, or a `LocalResourceError`. */
  onError(error: Error): void
}

/** What all exchanges of an egress share. */
export type Shared = { pool: ConnectionPool; resolve: Resolve; onDone: (exchange: Exchange) => void }

export type Call = {
  target: Target
  method: string
  /** Alternating names and values. */
  headers: string[]
  body: Uint8Array | null
  limitMs: number
  repeatable: boolean
  beforeWrite: (() => boolean) | undefined
  signal: AbortSignal | undefined
  sink: Sink
}

const NO_IPS: readonly string[] = []
const MAX_INFORMATIONAL = 16

/**
 * One request and its response. A class, because methods on a prototype are not allocated for each request,
 * as closures are.
 */
export class Exchange extends TimeLimit implements Dispatcher.DispatchHandler, PoolUser {
  readonly target: Target
  ips: readonly string[] = NO_IPS
  needsNew = false
  index = 0
  readonly startedAt = new Date()
  readonly #shared: Shared
  readonly #call: Call
  #phase: Phase = "lookup"
  #done = false
  #waits = false
  #connection: Connection | undefined
  #controller: Dispatcher.DispatchController | undefined
  /** Why the request is repeated. */
  #reset: Failure | undefined
  #informational = 0
  #headAt = 0
  #lookedUpAt = 0
  #connectedAt = 0
  #writtenAt = 0
  #firstByteAt = 0

  constructor(shared: Shared, call: Call) {
    super(call.limitMs)
    this.target = call.target
    this.#shared = shared
    this.#call = call
  }

  begin(): void {
    const { signal } = this.#call
    if (signal?.aborted) {
      this.abort()
      return
    }
    signal?.addEventListener("abort", this, { once: true })
    if (this.target.ips === undefined) {
      this.#lookUp().catch((error: Error) => this.#error(error))
    } else {
      this.#acquireConnection(this.target.ips)
    }
  }

  async #lookUp(): Promise<void> {
    const resolution = await this.#shared.resolve(this.target.host)
    if (this.#done) return
    this.#lookedUpAt = performance.now()
    const { host } = this.target
    if (resolution.kind === "vetted") {
      this.#acquireConnection(resolution.ips)
    } else if (resolution.kind === "blocked") {
      const { ip, range } = resolution
      this.fail({
        error: "blocked-address",
        message: `${host} resolves to ${ip} (${range}), which is not called: use a public host`,
      })
    } else {
      this.fail({ error: "dns", message: `the name ${host} could not be resolved (${resolution.code})` })
    }
  }

  #acquireConnection(ips: readonly string[]): void {
    this.ips = ips
    this.#phase = "wait"
    this.#shared.pool.acquire(this)
    this.#waits = !this.#done && this.#connection === undefined
  }

  onConnection(connection: Connection): void {
    this.#connection = connection
    if (this.#waits) {
      this.#waits = false
      this.#connectedAt = performance.now()
    }
    const { method, headers, body } = this.#call
    connection.client.dispatch({ method, path: this.target.path, headers, body }, this)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    const { beforeWrite } = this.#call
    if (beforeWrite !== undefined && !beforeWrite()) {
      if (this.#reset === undefined) this.abort()
      else this.fail(this.#reset)
      // This has destroyed the client, but undici does not check that before it writes the request. It checks
      // whether the controller was aborted.
      controller.abort(new Error("aborted before it was written"))
      return
    }
    this.#writtenAt = performance.now()
  }

  onResponseStarted(): void {
    if (this.#firstByteAt === 0) this.#firstByteAt = performance.now()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#done) return
    const now = performance.now()
    if (this.isTimedOut(now)) return
    if (status === 408 && this.#mayRepeat()) {
      // What a server sends before it closes an idle connection, and not its response to a request that it has just got.
      this.#firstByteAt = 0
      controller.abort(Object.assign(new Error("408 on an idle connection"), { code: "408" }))
    } else if (status >= 200) {
      this.#headAt = now
      if (this.#connection !== undefined) this.#connection.headAwaited = false
      this.#call.sink.onHead(this, status, joinRepeated(headers))
    } else if (++this.#informational > MAX_INFORMATIONAL) {
      this.fail({
        error: "protocol",
        message: `${this.target.host} sent more than ${MAX_INFORMATIONAL} 1xx responses`,
      })
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#done) this.#call.sink.onData(this, chunk)
  }

  onResponseEnd(): void {
    if (this.#done) return
    const connection = this.#finish()
    if (connection !== undefined) this.#shared.pool.release(connection)
    this.#call.sink.onEnd(this)
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#done) return
    if (isInvalidInput(error)) {
      this.#error(error)
      return
    }
    const phase = this.#currentPhase()
    const localError = phase === "connect" ? localResourceError(error) : undefined
    if (localError !== undefined) {
      this.#error(localError)
      return
    }
    const failure = classifyNetworkError(error, phase, this.target.host)
    if (failure.error === "reset" && this.#firstByteAt === 0 && this.#mayRepeat()) {
      this.#reset = failure
      this.#repeat()
    } else this.fail(failure)
  }

  /**
   * A server may close an idle connection just when a request is written. The request is not at fault, so it
   * may be repeated.
   */
  #mayRepeat(): boolean {
    const isReused = this.#connection !== undefined && this.#connection.connectMs === undefined
    return isReused && this.#call.repeatable
  }

  #repeat(): void {
    const connection = this.#connection
    this.#connection = undefined
    this.#controller = undefined
    // A new connection, because servers tend to close all idle connections at the same time.
    this.needsNew = true
    if (connection !== undefined) this.#shared.pool.discard(connection)
    this.#acquireConnection(this.ips)
  }

  fail(failure: Failure): void {
    if (this.#end()) this.#call.sink.onFail(this, failure)
  }

  abort(): void {
    if (this.#end()) this.#call.sink.onAbort(this)
  }

  #error(error: Error): void {
    if (this.#end()) this.#call.sink.onError(error)
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.#done) this.#controller?.resume()
  }

  /** The status, also if the rest of the response's head did not arrive or is not valid. 0 before it. */
  get status(): number {
    return statusOf(this.#connection?.socket)
  }

  get ip(): string | undefined {
    return this.#connection?.ip ?? this.ips[0]
  }

  timing(until: "head" | "now"): Timing {
    const { start } = this
    const timing: Timing = {
      startedAt: this.startedAt,
      totalMs: (until === "head" ? this.#headAt : performance.now()) - start,
    }
    if (this.#lookedUpAt !== 0) timing.lookupMs = this.#lookedUpAt - start
    if (this.#connectedAt !== 0) timing.waitedMs = this.#connectedAt - (this.#lookedUpAt || start)
    const connection = this.#connection
    if (connection?.connectMs !== undefined) timing.connectMs = connection.connectMs
    if (connection?.tlsMs !== undefined) timing.tlsMs = connection.tlsMs
    if (this.#firstByteAt !== 0) timing.firstByteMs = this.#firstByteAt - this.#writtenAt
    return timing
  }

  onTimeout(limitMs: number): void {
    this.fail(timedOut(this.#currentPhase(), this.target.host, limitMs))
  }

  handleEvent(): void {
    this.abort()
  }

  #currentPhase(): Phase {
    return this.#connection?.phase ?? this.#phase
  }

  #end(): boolean {
    if (this.#done) return false
    const connection = this.#finish()
    if (connection !== undefined) this.#shared.pool.discard(connection)
    else if (this.#waits) this.#shared.pool.cancelWait(this)
    return true
  }

  #finish(): Connection | undefined {
    this.#done = true
    this.endLimit()
    this.#call.signal?.removeEventListener("abort", this)
    this.#shared.onDone(this)
    return this.#connection
  }
}

function joinRepeated(headers: IncomingHttpHeaders): Headers {
  for (const name in headers) {
    const value = headers[name]
    if (typeof value !== "string") headers[name] = value?.join(", ")
  }
  return headers as Headers
}
