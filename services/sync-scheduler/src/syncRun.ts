/** A start that Postgres granted: this process, and no other, may now sync this connection, under this fence. */
export type GrantedRun = {
  connection: string
  /** Results count only while this is the connection's newest, and its grant id is the same. */
  fence: number
  /** Random: after a failover of Postgres that lost the grant, another run can have the same fence. */
  grantId: string
  runner: "pull" | "delegate"
  /** May hold credentials and keys in its query: never logged. */
  source: string
  /** Host and port of the source, in lower case. */
  host: string
  /** Its last run took long, or ran into a time limit. */
  slow: boolean
  startedAt: Date
  triggers: number
  firstTriggerAt: Date | null
  lastTriggerAt: Date | null
  correlation: string | null
  /** What is stored of the source, if anything is. */
  snapshot: { etag: string | null; lastModified: string | null; contentSha256: Buffer } | null
}

/** What was read of the source, and what it said about it. */
export type Content = {
  sha256: Buffer
  bytes: number
  contentType: string | null
  etag: string | null
  lastModified: string | null
}

export type SyncResult =
  /** `content` is null where an executor keeps it, or where the source answered 304. */
  | { outcome: "changed" | "unchanged"; content: Content | null }
  /** The source's fault, or on the way to it. `detail` is for the log: no path, no query. */
  | { outcome: "failed"; error: string; detail: string }
  /** Ended by us; says nothing about the source. */
  | { outcome: "abandoned"; error: string }

/** `transitMs`: from the request's writing until the source can have seen it, at most. */
export type RunnerAnswer = { result: SyncResult; transitMs: number }

/**
 * Asks `mayStart` right before each writing of a request to the source, and writes it in the same turn; where the
 * answer is false it writes nothing and ends as abandoned. Windows are counted from what was allowed here.
 */
export type Runner = (run: GrantedRun, mayStart: () => boolean, signal: AbortSignal) => Promise<RunnerAnswer>

export type WindowSettings = {
  windowMs: number
  settleMs: number
  deadlineMs: number
  /** A granted run that has not sent its request within this time of asking for the grant gives it back. */
  startGraceMs: number
}
