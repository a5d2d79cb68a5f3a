import { pipeline, Readable } from "node:stream"
import { errorCode } from "../errorCode.ts"
import { type Failure, timedOut } from "./classifyNetworkError.ts"
import { createDecoder } from "./decodeBody.ts"
import type { Exchange, Sink } from "./exchange.ts"
import type { DownloadOutcome, Headers } from "./outcome.ts"
import { ResponseSink } from "./responseSink.ts"

export type DownloadSinkOptions = {
  deadlineMs: number
  maxBytes: number
  onChunk: (chunk: Buffer) => Promise<void> | void
  resolve: (outcome: DownloadOutcome) => void
  reject: (error: Error) => void
}

export function createDownloadSink({
  deadlineMs,
  maxBytes,
  onChunk,
  resolve,
  reject,
}: DownloadSinkOptions): Sink {
  let status = 0
  let headers: Headers = {}
  let encodedBytes = 0
  let decodedBytes = 0
  let source: Readable | undefined
  // What has arrived in this turn of the event loop. A source may send each byte as a chunk of its own, with much between two of
  // them that is no content. Passed on one by one, each would take memory as an object and keep the socket's whole buffer.
  let arrived: Buffer[] = []
  let settled = false
  let lateTimer: NodeJS.Timeout | undefined
  let notRead: ResponseSink | undefined

  function settle(outcome: DownloadOutcome): void {
    if (settled) return
    settled = true
    clearTimeout(lateTimer)
    source?.destroy()
    resolve(outcome)
  }

  function downloaded(exchange: Exchange): DownloadOutcome {
    const { ip = "" } = exchange
    const timing = exchange.timing("now")
    return { kind: "downloaded", status, headers, encodedBytes, decodedBytes, ip, timing }
  }

  function failed(exchange: Exchange, failure: Failure): DownloadOutcome {
    const { ip } = exchange
    const timing = exchange.timing("now")
    return { kind: "failed", ...failure, ...(ip === undefined ? {} : { ip }), timing }
  }

  function stop(exchange: Exchange, outcome: DownloadOutcome): void {
    settle(outcome)
    exchange.abort()
  }

  function stopTooLarge(exchange: Exchange): void {
    const { ip = "" } = exchange
    const timing = exchange.timing("now")
    stop(exchange, { kind: "too-large", status, headers, limitBytes: maxBytes, ip, timing })
  }

  function stopUndecodable(exchange: Exchange, fault: string): void {
    const { target, ip = "" } = exchange
    const message = `${target.host} ${fault}`
    stop(exchange, { kind: "undecodable", message, ip, timing: exchange.timing("now") })
  }

  function open(exchange: Exchange, firstByte: number): Readable | undefined {
    const encoding = headers["content-encoding"] ?? ""
    const decoder = createDecoder(encoding, firstByte)
    if (decoder === undefined) {
      stopUndecodable(exchange, "sent an unsupported content-encoding: send gzip, deflate or identity")
      return undefined
    }
    const encoded = new Readable({ read: () => exchange.resume() })
    const decoded = decoder === "identity" ? encoded : pipeline(encoded, decoder, ignore)
    consume(exchange, decoded).catch((error: Error) => {
      if (settled) return
      settled = true
      clearTimeout(lateTimer)
      exchange.abort()
      reject(error)
    })
    return encoded
  }

  function passOn(exchange: Exchange): void {
    if (settled || source === undefined || arrived.length === 0) return
    const [first = Buffer.alloc(0)] = arrived
    const isWhole = arrived.length === 1 && first.length * 2 >= first.buffer.byteLength
    const piece = isWhole ? first : Buffer.concat(arrived)
    arrived = []
    if (source.push(piece) === false) exchange.pause()
  }

  async function consume(exchange: Exchange, decoded: Readable): Promise<void> {
    const chunks = decoded[Symbol.asyncIterator]()
    for (;;) {
      let next: IteratorResult<Buffer>
      try {
        next = await chunks.next()
      } catch (error) {
        // `settle` also causes an error here, because it destroys the stream. Then `stop` has no effect.
        stopUndecodable(exchange, `sent a body that does not fit its content-encoding (${errorCode(error)})`)
        return
      }
      if (settled) return
      if (next.done) {
        settle(downloaded(exchange))
        // The body may contain more bytes after the end of the compressed data. Nobody reads them, so without
        // this the call would not end.
        exchange.abort()
        return
      }
      if (decodedBytes + next.value.length > maxBytes) {
        stopTooLarge(exchange)
        return
      }
      decodedBytes += next.value.length
      await onChunk(next.value)
      if (settled) return
    }
  }

  return {
    onHead(exchange, receivedStatus, receivedHeaders) {
      status = receivedStatus
      headers = receivedHeaders
      if (status === 200 || status === 203) {
        if (Number(headers["content-length"] ?? 0) > maxBytes) stopTooLarge(exchange)
        return
      }
      notRead = new ResponseSink(settle, reject)
      notRead.onHead(exchange, status, headers)
    },
    onData(exchange, chunk) {
      if (notRead !== undefined) {
        notRead.onData(exchange, chunk)
        return
      }
      encodedBytes += chunk.length
      // Encoded bytes are limited as well, because a gzip body can go on for ever without decoding to
      // anything.
      if (encodedBytes > maxBytes) {
        stopTooLarge(exchange)
        return
      }
      source ??= open(exchange, chunk[0] ?? 0)
      if (arrived.push(chunk) === 1) process.nextTick(passOn, exchange)
    },
    onEnd(exchange) {
      if (source === undefined) {
        settle(downloaded(exchange))
        return
      }
      passOn(exchange)
      source.push(null)
      // `onChunk` may not have received the last chunks yet. The exchange's timer has ended, so another one
      // enforces the deadline.
      const remainingMs = Math.max(0, deadlineMs - exchange.timing("now").totalMs)
      const late = () => settle(failed(exchange, timedOut("open", exchange.target.host, deadlineMs)))
      if (!settled) lateTimer = setTimeout(late, remainingMs)
    },
    onFail: (exchange, failure) => settle(failed(exchange, failure)),
    onAbort: (exchange) => settle({ kind: "aborted", timing: exchange.timing("now") }),
    onError: reject,
  }
}

// Errors of the pipeline are handled in `consume`, which reads from it.
function ignore(): void {}
