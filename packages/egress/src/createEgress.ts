import { constants } from "node:crypto"
import { createSecureContext, DEFAULT_CIPHERS } from "node:tls"
import { type PolicyOptions, parsePolicy } from "./address/addressPolicy.ts"
import { createLookup, type Lookup } from "./address/lookUpName.ts"
import { createTargetCache } from "./address/parseTarget.ts"
import { createResolve } from "./address/resolveAndVet.ts"
import type { OnCertificate } from "./connection/connection.ts"
import { createConnectionPool } from "./connection/connectionPool.ts"
import { ACCEPT_ENCODING } from "./request/decodeBody.ts"
import { DownloadSink } from "./request/downloadSink.ts"
import { type Call, Exchange } from "./request/exchange.ts"
import type { DownloadOutcome, Failed, Outcome } from "./request/outcome.ts"
import { ResponseSink } from "./request/responseSink.ts"

export type EgressOptions = PolicyOptions & {
  userAgent: string
  /**
   * The most connections to one origin. Further calls wait in order, which counts towards their time limit.
   */
  connectionsPerOrigin: number
  /** Certificate authorities in PEM that replace the public ones. */
  ca?: string | Buffer
  lookup?: Lookup
  /** Called with the certificate of each new TLS connection whose server sent one. Must not throw. */
  onCertificate?: OnCertificate
}

export type RequestInput = {
  method: string
  url: string
  /** Egress adds `host` and `user-agent`. */
  headers: Readonly<Record<string, string>>
  body?: Uint8Array
  /** Time from the call to the response's head, including lookup, waiting, connecting and TLS. */
  timeoutMs: number
  /**
   * Sends the request once more if a reused connection closes before the first byte of the response, or with a 408.
   * Default: false.
   */
  repeatable?: boolean
  beforeWrite?: BeforeWrite
  signal?: AbortSignal
}

export type DownloadInput = {
  url: string
  headers: Readonly<Record<string, string>>
  /** Time from the call until `onChunk` has received the last byte. */
  deadlineMs: number
  /** Limits the decoded body, and also the encoded one. */
  maxBytes: number
  /** Called again only after its promise has resolved. If it throws, the download rejects with that error. */
  onChunk: (chunk: Buffer) => Promise<void> | void
  beforeWrite?: BeforeWrite
  signal?: AbortSignal
}

/**
 * Called right before the request is written, and again before a repetition. If it returns false, nothing is
 * written, and the call ends as `aborted`, or as `reset` before a repetition. Must not throw.
 */
export type BeforeWrite = () => boolean

export type Egress = {
  /** Does not follow redirects. Rejects only for invalid input or with a `LocalResourceError`. */
  request(input: RequestInput): Promise<Outcome>
  /** Sends a GET request. `onChunk` receives only the body of a 200 or 203. */
  download(input: DownloadInput): Promise<DownloadOutcome>
  /** `open` includes idle connections. */
  counts(): { origins: number; open: number; idle: number }
  close(): Promise<void>
}

/** All calls to addresses from partners go through this: it vets each address and limits time and size. */
export function createEgress(options: EgressOptions): Egress {
  const policy = parsePolicy(options)
  const targetOf = createTargetCache(policy)
  const lookup = options.lookup ?? createLookup()
  const resolve = createResolve({ lookup, policy })
  const pool = createConnectionPool(options.connectionsPerOrigin, {
    secureContext: createSecureContext({
      minVersion: "TLSv1.2",
      // A server could ask for one handshake after the other.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      // A server chooses the parameters of DHE: with 10,000 bits, a handshake would block the process for half a second.
      ciphers: `${DEFAULT_CIPHERS}:!DHE`,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    }),
    onCertificate: options.onCertificate,
  })
  // An array, whose elements know their index: V8 links each table that a Set outgrows to its successor. If one is
  // in the old generation, later calls stay in memory until that is collected.
  const inFlight: Exchange[] = []
  const shared = { pool, resolve, onDone }
  let closed = false

  function onDone({ index }: Exchange): void {
    const last = inFlight.pop()
    if (last === undefined || last.index === index) return
    inFlight[index] = last
    last.index = index
  }

  function start(call: Call): void {
    if (closed) throw new Error("egress is closed: no call can be made after close()")
    const exchange = new Exchange(shared, call)
    exchange.index = inFlight.push(exchange) - 1
    exchange.begin()
  }

  return {
    request: (input) =>
      new Promise((resolveOutcome, reject) => {
        const { method, body = null, timeoutMs: limitMs, repeatable = false, beforeWrite, signal } = input
        const parsed = targetOf(input.url)
        if (parsed.kind === "rejected") {
          resolveOutcome(blocked(parsed.message))
          return
        }
        const { target } = parsed
        const headers = toList(input.headers, options.userAgent)
        const sink = new ResponseSink(resolveOutcome, reject)
        start({ target, method, headers, body, limitMs, repeatable, beforeWrite, signal, sink })
      }),
    download: (input) =>
      new Promise((resolveOutcome, reject) => {
        const { deadlineMs: limitMs, maxBytes, onChunk, beforeWrite, signal } = input
        const parsed = targetOf(input.url)
        if (parsed.kind === "rejected") {
          resolveOutcome(blocked(parsed.message))
          return
        }
        const { target } = parsed
        const headers = toList({ "accept-encoding": ACCEPT_ENCODING, ...input.headers }, options.userAgent)
        const sink = new DownloadSink({
          deadlineMs: limitMs,
          maxBytes,
          onChunk,
          resolve: resolveOutcome,
          reject,
        })
        const get = { method: "GET", body: null, repeatable: true }
        start({ target, ...get, headers, limitMs, beforeWrite, signal, sink })
      }),
    counts: pool.counts,
    async close() {
      closed = true
      for (const exchange of [...inFlight]) exchange.abort()
      lookup.cancel?.()
      await pool.close()
    },
  }
}

function blocked(message: string): Failed {
  return { kind: "failed", error: "blocked-address", message, timing: { startedAt: new Date(), totalMs: 0 } }
}

function toList(headers: Readonly<Record<string, string>>, userAgent: string): string[] {
  const list = ["user-agent", userAgent]
  for (const name in headers) {
    // undici would also use this header as the name that the certificate must match.
    if (name.length === 4 && name.toLowerCase() === "host")
      throw new Error("the host header follows from the URL: remove it")
    list.push(name, headers[name] ?? "")
  }
  return list
}
