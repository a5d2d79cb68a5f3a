/** The closed set of reasons for which a call has no answer. */
export type CallError = "timeout" | "dns" | "connect" | "tls" | "reset" | "blocked-address" | "protocol"

/**
 * Milliseconds, measured on the monotonic clock. `totalMs` runs from the call to the head of the answer (for
 * a download: to its end), or to the failure. The parts are absent where they did not happen: `lookupMs` for
 * an IP address in the URL, `connectMs` and `tlsMs` on a reused connection, `waitedMs` when a connection was
 * free. `firstByteMs` runs from the writing of the request to the first byte of the answer.
 */
export type Timing = {
  startedAt: Date
  totalMs: number
  lookupMs?: number
  waitedMs?: number
  connectMs?: number
  tlsMs?: number
  firstByteMs?: number
}

/** `message` names host, address and code; never a path, a query, a header or a body. */
export type Failed = { kind: "failed"; error: CallError; message: string; address?: string; timing: Timing }

/** The caller's signal, its `beforeWrite`, or `close()` ended the call. It says nothing about the partner. */
export type Aborted = { kind: "aborted"; timing: Timing }

/** Names in lower case; a header that came more than once is joined with `, `. */
export type Headers = Record<string, string>

/** The first 1 KiB of an answer's body, still encoded if the answer is. */
export type Excerpt = {
  /** What has come by now. Answers that fit one packet are complete when `request` returns. */
  received(): Buffer
  /** Nothing more will come: the body's first 1 KiB, its end or its loss is there. */
  complete(): boolean
  /** Waits for the first 1 KiB, the body's end or its loss, but at most `waitMs`. Never rejects. */
  within(waitMs: number): Promise<Buffer>
}

export type Answered = {
  kind: "answered"
  status: number
  headers: Headers
  excerpt: Excerpt
  address: string
  timing: Timing
}

export type Outcome = Answered | Failed | Aborted

export type DownloadOutcome =
  | {
      kind: "answered"
      status: number
      headers: Headers
      /** Bytes on the wire, after chunked framing and before decoding; 0 unless the status is 2xx. */
      encodedBytes: number
      /** Bytes given to `onChunk`. */
      decodedBytes: number
      address: string
      timing: Timing
    }
  /** The body exceeds `maxBytes`, decoded or on the wire. `onChunk` was given at most `maxBytes`. */
  | {
      kind: "too-large"
      status: number
      headers: Headers
      limitBytes: number
      address: string
      timing: Timing
    }
  | Failed
  | Aborted
