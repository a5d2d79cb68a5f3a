import { createSecureContext } from "node:tls"
import { ACCEPT_ENCODING } from "./request/decodeBody.ts"
import { createDownloadSink } from "./request/downloadSink.ts"
import { Exchange, type Sink } from "./request/exchange.ts"
import { createLookup, type Lookup } from "./address/lookUpName.ts"
import type { DownloadOutcome, Failed, Outcome } from "./request/outcome.ts"
import { parsePolicy } from "./address/addressPolicy.ts"
import { createPool } from "./connection/connectionPool.ts"
import { AnswerSink } from "./request/responseSink.ts"
import { createResolve } from "./address/resolveAndVet.ts"
import { createTargetOf, type Target } from "./address/parseTarget.ts"

export type EgressOptions = {
  /** CIDR ranges that may be called although they are special; see `parsePolicy`. */
  allow: readonly string[]
  /** Accept `http:` as well. For the local stack. */
  allowHttp: boolean
  userAgent: string
  /** Calls of one origin beyond this number wait, in order; their time runs. */
  connectionsPerOrigin: number
  /** PEM certificates trusted instead of the usual authorities. */
  ca?: string | Buffer
  /** All addresses of a name. Default: the machine's name servers and hosts file. */
  lookup?: Lookup
}

export type RequestInput = {
  method: string
  url: string
  /** `host` and `user-agent` are set here and must not be given. */
  headers: Readonly<Record<string, string>>
  body?: Uint8Array
  /** From the call to the answer's head; lookup, waiting, connecting and TLS count. */
  timeoutMs: number
  /**
   * The receiver takes this request twice without harm: it is sent again, once, if a kept connection is
   * closed before the first byte of an answer. Default false.
   */
  repeatable?: boolean
  beforeWrite?: BeforeWrite
  /** Costs a listener per call; to end everything at once, `close()` is cheaper. */
  signal?: AbortSignal
}

export type DownloadInput = {
  url: string
  headers: Readonly<Record<string, string>>
  /** From the call to the last byte given to `onChunk`. */
  deadlineMs: number
  /** Bound of the decoded body, and of the encoded one. */
  maxBytes: number
  /** The next piece comes when it has returned. If it throws, the download rejects with that error. */
  onChunk: (chunk: Buffer) => Promise<void> | void
  beforeWrite?: BeforeWrite
  signal?: AbortSignal
}

/**
 * Asked when the connection is ready, right before the request is written to it, and again before a repetition. False:
 * nothing is written and the call ends as `aborted`. Must not throw.
 */
export type BeforeWrite = () => boolean

export type Egress = {
  /** Answers with the head of whatever came back; redirects are answers. Rejects for a broken input, and with a `LocalFault`. */
  request(input: RequestInput): Promise<Outcome>
  /** GET of a body, decoded. A status other than 2xx is an answer without a body; so is 304. */
  download(input: DownloadInput): Promise<DownloadOutcome>
  /** Numbers of origins with a connection, of connections, and of those that are idle. */
  counts(): { origins: number; open: number; idle: number }
  /** Ends what is under way as `aborted` and closes all sockets. */
  close(): Promise<void>
}

const MAX_HEADER_BYTES = 16 * 1_024
const MAX_IDLE_CONNECTIONS = 1_024
// Shorter than what servers usually keep (5 s and more), so that it is rarely they who close first.
const IDLE_MS = 4_000

/** The one way to call addresses that partners gave: vetted on every call, bounded in time and size. */
export function createEgress(options: EgressOptions): Egress {
  const policy = parsePolicy(options)
  const targetOf = createTargetOf(policy)
  const lookup = options.lookup ?? createLookup()
  const resolve = createResolve({ lookup, policy })
  const pool = createPool({
    connectionsPerOrigin: options.connectionsPerOrigin,
    maxIdle: MAX_IDLE_CONNECTIONS,
    idleMs: IDLE_MS,
    maxHeaderBytes: MAX_HEADER_BYTES,
    secureContext: createSecureContext({
      minVersion: "TLSv1.2",
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    }),
  })
  // An array in which each knows its place, and not a Set: decision 0019.
  const underWay: Exchange[] = []
  let closed = false

  function onDone({ place }: Exchange): void {
    const last = underWay.pop()
    if (last === undefined || last.place === place) return
    underWay[place] = last
    last.place = place
  }

  function begin(
    input: { headers: Readonly<Record<string, string>>; beforeWrite?: BeforeWrite; signal?: AbortSignal },
    call: {
      target: Target
      method: string
      body: Uint8Array | null
      limitMs: number
      repeatable: boolean
      sink: Sink
    },
  ): void {
    if (closed) throw new Error("egress is closed: no call can be made after close()")
    const headers = toList(input.headers, options.userAgent)
    const { target, method, body, limitMs, repeatable, sink } = call
    const { beforeWrite, signal } = input
    const exchange = new Exchange({
      pool,
      resolve,
      target,
      method,
      headers,
      body,
      limitMs,
      repeatable,
      beforeWrite,
      signal,
      sink,
      onDone,
    })
    exchange.place = underWay.push(exchange) - 1
    exchange.begin()
  }

  return {
    request(input) {
      return new Promise((answer, reject) => {
        const parsed = targetOf(input.url)
        if (parsed.kind === "refused") {
          answer(refused(parsed.message))
          return
        }
        const { method, body = null, timeoutMs, repeatable = false } = input
        const sink = new AnswerSink(answer, reject)
        begin(input, { target: parsed.target, method, body, limitMs: timeoutMs, repeatable, sink })
      })
    },
    download(input) {
      return new Promise((answer, reject) => {
        const parsed = targetOf(input.url)
        if (parsed.kind === "refused") {
          answer(refused(parsed.message))
          return
        }
        const { deadlineMs, maxBytes, onChunk } = input
        const sink = createDownloadSink({ deadlineMs, maxBytes, onChunk, resolve: answer, reject })
        const headers = { "accept-encoding": ACCEPT_ENCODING, ...input.headers }
        const call = {
          target: parsed.target,
          method: "GET",
          body: null,
          limitMs: deadlineMs,
          repeatable: true,
          sink,
        }
        begin({ ...input, headers }, call)
      })
    },
    counts: pool.counts,
    async close() {
      closed = true
      for (const exchange of [...underWay]) exchange.abort()
      lookup.cancel?.()
      await pool.close()
    },
  }
}

function refused(message: string): Failed {
  return { kind: "failed", error: "blocked-address", message, timing: { startedAt: new Date(), totalMs: 0 } }
}

function toList(headers: Readonly<Record<string, string>>, userAgent: string): string[] {
  const list = ["user-agent", userAgent]
  for (const name in headers) {
    // Another host would also become the server name that the certificate is checked against.
    if (name.length === 4 && name.toLowerCase() === "host")
      throw new Error("the host header follows from the URL")
    list.push(name, headers[name] ?? "")
  }
  return list
}
