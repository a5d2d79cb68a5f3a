/** Why a call has no response. */
export type CallError = "timeout" | "dns" | "connect" | "tls" | "reset" | "blocked-address" | "protocol"

/**
 * Milliseconds, by the monotonic clock. `totalMs` is from the call to the response's head (of a download: its end) or to the
 * failure. A step that did not happen is absent: `lookupMs` for an IP address, `connectMs` and `tlsMs` on a reused connection,
 * `waitedMs` if a connection was free. `firstByteMs` is from writing the request to the response's first byte.
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

/** `message` names host, IP address and code, never a path, a query, a header or a body. */
export type Failed = { kind: "failed"; error: CallError; message: string; ip?: string; timing: Timing }

/** Ended by the caller's signal, `beforeWrite` or `close()`. Says nothing about the partner. */
export type Aborted = { kind: "aborted"; timing: Timing }

/** Names are in lower case. Repeated headers are joined with `, `. */
export type Headers = Record<string, string>

/** The first 1 KiB of a response's body, not decoded. */
export type Excerpt = {
  /** What has arrived so far. Responses of one packet are complete when `request` resolves. */
  received(): Buffer
  /** Nothing more will come: 1 KiB has arrived, or the body has ended or failed. */
  complete(): boolean
  /** Waits until `complete()`, but at most `waitMs`. Never rejects. */
  within(waitMs: number): Promise<Buffer>
}

export type Responded = {
  kind: "responded"
  status: number
  headers: Headers
  excerpt: Excerpt
  ip: string
  timing: Timing
}

export type Outcome = Responded | Failed | Aborted

export type DownloadOutcome =
  | {
      kind: "responded"
      status: number
      headers: Headers
      /** After removal of chunked framing; 0 unless the status is 2xx. */
      encodedBytes: number
      /** Bytes passed to `onChunk`. */
      decodedBytes: number
      ip: string
      timing: Timing
    }
  /** The body exceeds `maxBytes`, decoded or encoded. `onChunk` received at most `maxBytes`. */
  | {
      kind: "too-large"
      status: number
      headers: Headers
      limitBytes: number
      ip: string
      timing: Timing
    }
  | Failed
  | Aborted
