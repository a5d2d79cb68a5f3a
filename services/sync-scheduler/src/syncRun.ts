/** A start that Postgres granted: this process, and no other, may now sync this connection. */
export type GrantedRun = {
  connection: string
  /** Results count only while this fence and the grant id are the connection's newest. */
  fence: number
  /** Random: after a failover of Postgres that lost the grant, another run can have the same fence. */
  grantId: string
  runner: "pull" | "delegate"
  /** Its query may contain credentials: never logged. */
  source: string
  /** Host and port of the source, in lower case. */
  host: string
  /** The connection's last run took long, or ran into a time limit. */
  slow: boolean
  startedAt: Date
  triggers: number
  firstTriggerAt: Date | null
  lastTriggerAt: Date | null
  correlation: string | null
  /** The stored content of the source, if there is any. */
  snapshot: { etag: string | null; lastModified: string | null; contentSha256: Buffer } | null
}

/** The content of a source, and its description in the response headers. */
export type Content = {
  sha256: Buffer
  bytes: number
  contentType: string | null
  etag: string | null
  lastModified: string | null
}

export type SyncResult =
  /** `content` is null if an executor stores it, or if the source responded with 304. */
  | { outcome: "changed" | "unchanged"; content: Content | null }
  /** The source failed, or the way to it. `detail` is logged, so it contains no path and no query. */
  | { outcome: "failed"; error: string; detail: string }
  /** We ended the run, which says nothing about the source. */
  | { outcome: "abandoned"; error: string }

/** `transitMs`: upper bound of the time from writing the request until the source had it. */
export type RunnerResult = { result: SyncResult; transitMs: number }

/**
 * Calls `mayStart` right before each write of a request to the source, and writes it in the same event loop turn, so that
 * windows can be measured from the call. If `mayStart` returns false, it writes nothing and ends as abandoned.
 */
export type Runner = (run: GrantedRun, mayStart: () => boolean, signal: AbortSignal) => Promise<RunnerResult>

export type WindowSettings = {
  windowMs: number
  settleMs: number
  deadlineMs: number
  /** A run that has not sent its request within this time after its claim may not send it any more. */
  startGraceMs: number
}
