import { type DownloadOutcome, type Egress, LocalResourceError } from "@sitewire/egress"
import { reasonOf } from "@sitewire/runtime"
import { sourceRequestHeaders } from "@sitewire/signing/sender"
import {
  type Chunk,
  type Content,
  chunkContent,
  countBufferedBytes,
  type GrantedRun,
  type StoredChunk,
  type SyncResult,
} from "@sitewire/syncs"
import type { Credentials, OpenCredentials, Runner, RunnerResult } from "./runner.ts"

export type PullRunnerOptions = {
  egress: Egress
  openCredentials: OpenCredentials
  /** Waits while the row of the connection's window is locked. */
  storeChunk: (chunk: Chunk) => Promise<StoredChunk>
  deadlineMs: number
  maxBytes: number
  serviceName: string
}

export function createPullRunner(options: PullRunnerOptions): Runner {
  const { egress, openCredentials, storeChunk, deadlineMs, maxBytes, serviceName } = options
  const buffered = countBufferedBytes()

  return async function pull(run, mayStart, signal): Promise<RunnerResult> {
    const { connection, site, fence, grantId } = run
    const opened = openCredentials(run)
    if (opened.kind === "failed") return { result: opened.result, storingMs: 0 }
    let storing = false
    let storingMs = 0
    const ended = (result: SyncResult): RunnerResult => ({ result, storingMs })
    using chunks = chunkContent(async (position, data) => {
      storing = true
      const startedAt = performance.now()
      const stored = await storeChunk({ connection, site, fence, grantId, position, data })
      storingMs += performance.now() - startedAt
      if (stored === "site-full") throw new SiteFull()
      if (stored !== "stored") throw new StaleFence()
      storing = false
    }, buffered)
    let outcome: DownloadOutcome
    try {
      outcome = await egress.download({
        url: run.source,
        headers: headersOf(run, opened.credentials, serviceName),
        deadlineMs,
        maxBytes,
        onChunk: chunks.add,
        beforeWrite: mayStart,
        signal,
      })
    } catch (error) {
      if (error instanceof LocalResourceError) throw error
      return ended(storageFailed(error))
    }
    if (storing && outcome.kind === "failed" && outcome.error === "timeout") {
      // Not reported as a time-out, because the connection would count as slow although its source is not.
      const late = new Error("Postgres did not store the content within SYNC_DEADLINE")
      return ended(storageFailed(late))
    }
    if (outcome.kind !== "downloaded") return ended(resultWithoutContent(outcome, run))
    const content = { ...chunks.measure(), ...describe(outcome.headers) }
    if (run.contentSha256?.equals(content.sha256)) {
      return ended({ outcome: "unchanged", content })
    }
    try {
      await chunks.flush()
    } catch (error) {
      return ended(storageFailed(error))
    }
    return ended({ outcome: "changed", content })
  }
}

/** They end the download. */
class StaleFence extends Error {}
class SiteFull extends Error {}

/** Our own headers last, because no header of the connection may replace them. */
function headersOf(
  run: GrantedRun,
  { signingSecret, requestHeaders }: Credentials,
  serviceName: string,
): Record<string, string> {
  // Without `no-cache`, a cache can respond with the content from before the change, and no sync would follow.
  const headers: Record<string, string> = {
    ...requestHeaders,
    ...signSourceRequest(run, { serviceName, signingSecret }),
    "cache-control": "no-cache",
  }
  if (run.etag) headers["if-none-match"] = run.etag
  return headers
}

function resultWithoutContent(
  outcome: Exclude<DownloadOutcome, { kind: "downloaded" }>,
  run: GrantedRun,
): SyncResult {
  switch (outcome.kind) {
    case "failed": {
      const responded = outcome.timing.firstByteMs !== undefined
      return { outcome: "failed", error: outcome.error, detail: outcome.message, responded }
    }
    case "aborted":
      return { outcome: "abandoned", error: "stopped" }
    case "too-large":
      return {
        outcome: "failed",
        error: "too-large",
        detail: `the content is larger than ${outcome.limitBytes} bytes (SYNC_MAX_BYTES)`,
      }
    case "undecodable":
      return { outcome: "failed", error: "encoding", detail: outcome.message }
    case "responded": {
      // A 304 to an unconditional request is an error: we have no content.
      if (outcome.status === 304 && run.etag) return { outcome: "unchanged", content: null }
      return {
        outcome: "failed",
        error: "status",
        status: outcome.status,
        detail: `the source responded with status ${outcome.status}`,
      }
    }
  }
}

function describe(headers: Record<string, string>): Omit<Content, "bytes" | "sha256"> {
  const { etag = "", "content-type": contentType = null } = headers
  return { contentType, etag: entityTag.test(etag) && !isJustModified(headers) ? etag : null }
}

/** RFC 9110, 8.8.3. Some servers respond with an error to an `If-None-Match` that is something else or too long. */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]{0,1000}"$/

/**
 * Whether the content may change again in the second of its `Last-Modified` (RFC 9110, 8.8.2.2). The `ETag` of many servers is made of
 * that time, so the next sync could get a 304 for what it has not seen.
 */
function isJustModified(headers: Record<string, string>): boolean {
  const modifiedAt = Date.parse(headers["last-modified"] ?? "")
  if (Number.isNaN(modifiedAt)) return false
  const respondedAt = Date.parse(headers.date ?? "")
  return !(respondedAt - modifiedAt >= 1_000)
}

function storageFailed(error: unknown): SyncResult {
  if (error instanceof StaleFence) return { outcome: "abandoned", error: "stale" }
  if (error instanceof SiteFull) {
    const detail = "the site would store more than SITE_MAX_BYTES, so the content before it stays"
    return { outcome: "failed", error: "site-full", detail }
  }
  const detail = reasonOf(error)
  return { outcome: "failed", error: "storage", detail }
}

/** The signature covers method, URL and time: who has captured it can request the same URL, for as long as the source accepts that time. */
function signSourceRequest(
  { connection, fence, source: url }: Pick<GrantedRun, "connection" | "fence" | "source">,
  { serviceName, signingSecret }: { serviceName: string; signingSecret: string },
): Record<string, string> {
  const id = `${connection}_${fence}`
  const timestamp = Math.floor(Date.now() / 1_000)
  return {
    [`x-${serviceName.toLowerCase()}-connection`]: connection,
    ...sourceRequestHeaders({ id, timestamp, method: "GET", url, secrets: [signingSecret] }),
  }
}
