import { type DownloadOutcome, type Egress, LocalResourceError } from "@sitewire/egress"
import { reasonOf } from "@sitewire/runtime"
import type { Content, GrantedRun, Runner, RunnerResult, SyncResult } from "../syncRun.ts"
import { chunkContent } from "./chunkContent.ts"
import { longestTransitMs, requestTransitMs } from "./requestTransit.ts"
import { type SignSourceRequestOptions, signSourceRequest } from "./signSourceRequest.ts"
import type { Chunk } from "./storeChunk.ts"

export type PullRunnerOptions = SignSourceRequestOptions & {
  egress: Egress
  storeChunk: (chunk: Chunk) => Promise<boolean>
  deadlineMs: number
  maxBytes: number
}

export function createPullRunner(options: PullRunnerOptions): Runner {
  const { egress, storeChunk, deadlineMs, maxBytes } = options

  return async function pull(run, mayStart, signal): Promise<RunnerResult> {
    const { connection, fence, grantId } = run
    let storing = false
    const chunks = chunkContent(async (position, data) => {
      storing = true
      if (!(await storeChunk({ connection, fence, grantId, position, data }))) throw new StaleFence()
      storing = false
    })
    let outcome: DownloadOutcome
    try {
      outcome = await egress.download({
        url: run.source,
        headers: requestHeaders(run, options),
        deadlineMs,
        maxBytes,
        onChunk: chunks.add,
        beforeWrite: mayStart,
        signal,
      })
    } catch (error) {
      if (error instanceof LocalResourceError) throw error
      return { result: storageFailed(error), transitMs: longestTransitMs }
    }
    const transitMs = requestTransitMs(outcome.timing)
    if (storing && outcome.kind === "failed" && outcome.error === "timeout") {
      // Not reported as a time-out, because the connection would count as slow although its source is not.
      const late = new Error("Postgres did not store the content within SYNC_DEADLINE")
      return { result: storageFailed(late), transitMs }
    }
    if (outcome.kind !== "responded" || !isComplete(outcome.status)) {
      return { result: resultWithoutContent(outcome, run), transitMs }
    }
    const content = { ...chunks.measure(), ...describe(outcome.headers) }
    if (run.snapshot?.contentSha256.equals(content.sha256)) {
      return { result: { outcome: "unchanged", content }, transitMs }
    }
    try {
      await chunks.flush()
    } catch (error) {
      return { result: storageFailed(error), transitMs }
    }
    return { result: { outcome: "changed", content }, transitMs }
  }
}

/** 206 is a part of the content, which we did not request. */
function isComplete(status: number): boolean {
  return status >= 200 && status <= 299 && status !== 206
}

/** Thrown in `onChunk` to end the download, because a newer start of the connection has been granted. */
class StaleFence extends Error {}

function requestHeaders(run: GrantedRun, options: PullRunnerOptions): Record<string, string> {
  const headers = signSourceRequest(run, options)
  if (run.snapshot?.etag) headers["if-none-match"] = run.snapshot.etag
  if (run.snapshot?.lastModified) headers["if-modified-since"] = run.snapshot.lastModified
  return headers
}

function resultWithoutContent(outcome: DownloadOutcome, run: GrantedRun): SyncResult {
  switch (outcome.kind) {
    case "failed":
      return { outcome: "failed", error: outcome.error, detail: outcome.message }
    case "aborted":
      return { outcome: "abandoned", error: "stopped" }
    case "too-large":
      return {
        outcome: "failed",
        error: "too-large",
        detail: `the content is larger than ${outcome.limitBytes} bytes (SYNC_MAX_BYTES)`,
      }
    case "responded": {
      // A 304 to an unconditional request is an error: we have no content.
      const conditional = Boolean(run.snapshot?.etag || run.snapshot?.lastModified)
      if (outcome.status === 304 && conditional) return { outcome: "unchanged", content: null }
      return {
        outcome: "failed",
        error: "status",
        detail: `the source responded with status ${outcome.status}`,
      }
    }
  }
}

function describe(headers: Record<string, string>): Omit<Content, "bytes" | "sha256"> {
  return {
    contentType: headers["content-type"] ?? null,
    etag: headers.etag ?? null,
    lastModified: headers["last-modified"] ?? null,
  }
}

function storageFailed(error: unknown): SyncResult {
  if (error instanceof StaleFence) return { outcome: "abandoned", error: "stale" }
  const detail = reasonOf(error)
  return { outcome: "failed", error: "storage", detail }
}
