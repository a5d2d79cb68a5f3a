export type CallError = "timeout" | "dns" | "connect" | "tls" | "reset" | "blocked-address" | "protocol"

/**
 * In milliseconds. Steps that did not happen are absent, such as `connectMs` on a reused connection.
 * `totalMs` ends with the response's head (for a download: with its body) or the failure. `waitedMs` is the
 * wait for a free connection. `firstByteMs` begins when the request is written.
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

/** `message` never contains a path, a query, a header or a body. */
export type Failed = { kind: "failed"; error: CallError; message: string; ip?: string; timing: Timing }

/** Ended by the caller's signal, `beforeWrite` or `close()`. Says nothing about the partner. */
export type Aborted = { kind: "aborted"; timing: Timing }

export type Headers = Record<string, string>

/** The first 1 KiB of a response's body, not decoded. */
export type Excerpt = {
  received(): Buffer
  /** True if 1 KiB has arrived, or the body has ended or failed. */
  complete(): boolean
  /** Waits until `complete()`, but at most `waitMs`. Resolves with what was received. Never rejects. */
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
  /** `onChunk` has received the whole content. Its status is 200 or 203: any other 2xx brings none, or a part of it. */
  | {
      kind: "downloaded"
      status: number
      headers: Headers
      /** Bytes of the body before decoding, without the framing of chunks. */
      encodedBytes: number
      decodedBytes: number
      ip: string
      timing: Timing
    }
  /** The body exceeds `maxBytes`. `onChunk` received at most that many. */
  | {
      kind: "too-large"
      status: number
      headers: Headers
      limitBytes: number
      ip: string
      timing: Timing
    }
  /** The body has an unsupported content-encoding, or does not fit the one that the response states. */
  | { kind: "undecodable"; message: string; ip: string; timing: Timing }
  | Outcome
