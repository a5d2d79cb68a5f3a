import { pipeline, Readable } from "node:stream"
import { type Failure, timedOut } from "./classifyNetworkError.ts"
import { createDecoder } from "./decodeBody.ts"
import type { Exchange, Sink } from "./exchange.ts"
import type { DownloadOutcome, Headers } from "./outcome.ts"
import { AnswerSink } from "./responseSink.ts"
import { codeOf } from "../address/resolveAndVet.ts"

export type DownloadSinkOptions = {
  deadlineMs: number
  maxBytes: number
  onChunk: (chunk: Buffer) => Promise<void> | void
  resolve: (outcome: DownloadOutcome) => void
  reject: (error: Error) => void
}

/**
 * Streams the decoded body of a 2xx answer into `onChunk`, one piece at a time, reading from the socket only
 * as fast as that returns. Any other status is an answer at its head; its body is not given out.
 */
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
  let settled = false
  let lateTimer: NodeJS.Timeout | undefined
  let unread: AnswerSink | undefined

  function settle(outcome: DownloadOutcome): void {
    if (settled) return
    settled = true
    clearTimeout(lateTimer)
    source?.destroy()
    resolve(outcome)
  }

  function answered(exchange: Exchange): DownloadOutcome {
    const timing = exchange.timing(unread === undefined ? "now" : "head")
    return {
      kind: "answered",
      status,
      headers,
      encodedBytes,
      decodedBytes,
      address: exchange.address ?? "",
      timing,
    }
  }

  function failed(exchange: Exchange, failure: Failure): DownloadOutcome {
    const { address } = exchange
    const timing = exchange.timing("now")
    return { kind: "failed", ...failure, ...(address === undefined ? {} : { address }), timing }
  }

  /** Ends the call with an outcome of ours; the socket is closed. */
  function stop(exchange: Exchange, outcome: DownloadOutcome): void {
    settle(outcome)
    exchange.abort()
  }

  function stopTooLarge(exchange: Exchange): void {
    const { address = "" } = exchange
    const timing = exchange.timing("now")
    stop(exchange, { kind: "too-large", status, headers, limitBytes: maxBytes, address, timing })
  }

  function open(exchange: Exchange, firstByte: number): Readable | undefined {
    const encoding = headers["content-encoding"] ?? ""
    const decoder = createDecoder(encoding, firstByte)
    if (decoder === undefined) {
      const message = `${exchange.target.host} sent a content-encoding that was not asked for; send gzip, deflate or br`
      stop(exchange, failed(exchange, { error: "protocol", message }))
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

  async function consume(exchange: Exchange, decoded: Readable): Promise<void> {
    const chunks = decoded[Symbol.asyncIterator]()
    for (;;) {
      let next: IteratorResult<Buffer>
      try {
        next = await chunks.next()
      } catch (error) {
        // After `settle` this is only the stream that it destroyed.
        const message = `the body from ${exchange.target.host} cannot be decoded (${codeOf(error)})`
        stop(exchange, failed(exchange, { error: "protocol", message }))
        return
      }
      if (settled) return
      if (next.done) {
        settle(answered(exchange))
        // Where the compressed data ended before the body, what follows is not read, and would hold the connection.
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
      if (status >= 200 && status < 300) {
        if (Number(headers["content-length"] ?? 0) > maxBytes) stopTooLarge(exchange)
        return
      }
      unread = new AnswerSink(() => settle(answered(exchange)), reject)
      unread.onHead(exchange, status, headers)
    },
    onData(exchange, chunk) {
      if (unread !== undefined) {
        unread.onData(exchange, chunk)
        return
      }
      encodedBytes += chunk.length
      // Encoded bytes count as well: a gzip body can go on for ever without decoding to anything.
      if (encodedBytes > maxBytes) {
        stopTooLarge(exchange)
        return
      }
      source ??= open(exchange, chunk[0] ?? 0)
      if (source?.push(chunk) === false) exchange.pause()
    },
    onEnd(exchange) {
      if (source === undefined) {
        settle(answered(exchange))
        return
      }
      source.push(null)
      // The exchange is over and its timer with it, but what was read last may not have been taken yet.
      const left = Math.max(0, deadlineMs - exchange.timing("now").totalMs)
      const late = () => settle(failed(exchange, timedOut("open", exchange.target.host, deadlineMs)))
      if (!settled) lateTimer = setTimeout(late, left)
    },
    onFail: (exchange, failure) => settle(failed(exchange, failure)),
    onAbort: (exchange) => settle({ kind: "aborted", timing: exchange.timing("now") }),
    onBroken: reject,
  }
}

// Faults reach the reader of the pipeline, which handles them.
function ignore(): void {}
