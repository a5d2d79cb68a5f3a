import { pipeline, Readable } from "node:stream"
import { errorCode } from "../errorCode.ts"
import { type Failure, timedOut } from "./classifyNetworkError.ts"
import { createDecoder } from "./decodeBody.ts"
import type { Exchange, Sink } from "./exchange.ts"
import type { DownloadOutcome, Headers } from "./outcome.ts"
import { ResponseSink } from "./responseSink.ts"

type DownloadSinkOptions = {
  deadlineMs: number
  maxBytes: number
  onChunk: (chunk: Buffer) => Promise<void> | void
  resolve: (outcome: DownloadOutcome) => void
  reject: (error: Error) => void
}

/** Decodes the body of a 200 or 203. Any other response is for a `ResponseSink`. */
export class DownloadSink implements Sink {
  readonly #options: DownloadSinkOptions
  #head: { status: number; headers: Headers } = { status: 0, headers: {} }
  #encodedBytes = 0
  #decodedBytes = 0
  #source: Readable | undefined
  // What has arrived in this turn of the event loop. A source may send each byte as a chunk of its own, with much between two of
  // them that is no content. Passed on one by one, each would take memory as an object and keep the socket's whole buffer.
  #arrived: Buffer[] = []
  #settled = false
  #lateTimer: NodeJS.Timeout | undefined
  #notRead: ResponseSink | undefined

  constructor(options: DownloadSinkOptions) {
    this.#options = options
  }

  onHead(exchange: Exchange, status: number, headers: Headers): void {
    this.#head = { status, headers }
    if (status === 200 || status === 203) {
      if (Number(headers["content-length"] ?? 0) > this.#options.maxBytes) this.#stopTooLarge(exchange)
      return
    }
    this.#notRead = new ResponseSink((outcome) => this.#settle(outcome), this.#options.reject)
    this.#notRead.onHead(exchange, status, headers)
  }

  onData(exchange: Exchange, chunk: Buffer): void {
    if (this.#notRead !== undefined) {
      this.#notRead.onData(exchange, chunk)
      return
    }
    this.#encodedBytes += chunk.length
    // Encoded bytes are limited as well, because a gzip body can go on for ever without decoding to
    // anything.
    if (this.#encodedBytes > this.#options.maxBytes) {
      this.#stopTooLarge(exchange)
      return
    }
    this.#source ??= this.#open(exchange, chunk[0] ?? 0)
    if (this.#arrived.push(chunk) === 1) process.nextTick(() => this.#passOn(exchange))
  }

  #open(exchange: Exchange, firstByte: number): Readable | undefined {
    const decoder = createDecoder(this.#head.headers["content-encoding"] ?? "", firstByte)
    if (decoder === undefined) {
      this.#stopUndecodable(exchange, "sent an unsupported content-encoding: send gzip, deflate or identity")
      return undefined
    }
    const encoded = new Readable({ read: () => exchange.resume() })
    const decoded = decoder === "identity" ? encoded : pipeline(encoded, decoder, ignore)
    this.#consume(exchange, decoded).catch((error: Error) => {
      if (!this.#end()) return
      exchange.abort()
      this.#options.reject(error)
    })
    return encoded
  }

  #passOn(exchange: Exchange): void {
    if (this.#settled || this.#source === undefined || this.#arrived.length === 0) return
    const [first = Buffer.alloc(0)] = this.#arrived
    const isWhole = this.#arrived.length === 1 && first.length * 2 >= first.buffer.byteLength
    const piece = isWhole ? first : Buffer.concat(this.#arrived)
    this.#arrived = []
    if (this.#source.push(piece) === false) exchange.pause()
  }

  async #consume(exchange: Exchange, decoded: Readable): Promise<void> {
    const chunks = decoded[Symbol.asyncIterator]()
    while (!this.#settled) {
      let next: IteratorResult<Buffer>
      try {
        next = await chunks.next()
      } catch (error) {
        // `#end` also causes an error here, because it destroys the stream. Then `#stop` has no effect.
        const code = errorCode(error)
        this.#stopUndecodable(exchange, `sent a body that does not fit its content-encoding (${code})`)
        return
      }
      if (this.#settled) return
      if (next.done) {
        // The body may contain more bytes after the end of the compressed data. Nobody reads them, so without
        // the abort the call would not end.
        this.#stop(exchange, this.#downloaded(exchange))
        return
      }
      if (this.#decodedBytes + next.value.length > this.#options.maxBytes) {
        this.#stopTooLarge(exchange)
        return
      }
      this.#decodedBytes += next.value.length
      await this.#options.onChunk(next.value)
    }
  }

  onEnd(exchange: Exchange): void {
    if (this.#source === undefined) {
      this.#settle(this.#downloaded(exchange))
      return
    }
    this.#passOn(exchange)
    this.#source.push(null)
    // `onChunk` may not have received the last chunks yet. The exchange's timer has ended, so another one
    // enforces the deadline.
    const { deadlineMs } = this.#options
    const late = () => this.onFail(exchange, timedOut("open", exchange.target.host, deadlineMs))
    if (!this.#settled)
      this.#lateTimer = setTimeout(late, Math.max(0, deadlineMs - exchange.timing("now").totalMs))
  }

  onFail(exchange: Exchange, failure: Failure): void {
    const { ip } = exchange
    const timing = exchange.timing("now")
    this.#settle({ kind: "failed", ...failure, ...(ip === undefined ? {} : { ip }), timing })
  }

  onAbort(exchange: Exchange): void {
    this.#settle({ kind: "aborted", timing: exchange.timing("now") })
  }

  onError(error: Error): void {
    this.#options.reject(error)
  }

  #downloaded(exchange: Exchange): DownloadOutcome {
    const bytes = { encodedBytes: this.#encodedBytes, decodedBytes: this.#decodedBytes }
    return { kind: "downloaded", ...this.#head, ...bytes, ...whereAndWhen(exchange) }
  }

  #stopTooLarge(exchange: Exchange): void {
    const limitBytes = this.#options.maxBytes
    this.#stop(exchange, { kind: "too-large", ...this.#head, limitBytes, ...whereAndWhen(exchange) })
  }

  #stopUndecodable(exchange: Exchange, fault: string): void {
    const message = `${exchange.target.host} ${fault}`
    this.#stop(exchange, { kind: "undecodable", message, ...whereAndWhen(exchange) })
  }

  #stop(exchange: Exchange, outcome: DownloadOutcome): void {
    this.#settle(outcome)
    exchange.abort()
  }

  #settle(outcome: DownloadOutcome): void {
    if (this.#end()) this.#options.resolve(outcome)
  }

  /** False if the download had ended before. */
  #end(): boolean {
    if (this.#settled) return false
    this.#settled = true
    clearTimeout(this.#lateTimer)
    this.#source?.destroy()
    return true
  }
}

const whereAndWhen = (exchange: Exchange) => ({ ip: exchange.ip ?? "", timing: exchange.timing("now") })

// Errors of the pipeline are handled in `#consume`, which reads from it.
function ignore(): void {}
