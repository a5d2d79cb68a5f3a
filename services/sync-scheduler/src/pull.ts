import { type DownloadOutcome, type Egress, LocalResourceError } from "@sitewire/egress"
import { reasonOf } from "@sitewire/runtime"
import { standardWebhooksHeaders } from "@sitewire/signing"
import { chunkContent } from "./chunkContent.ts"
import type { Content, GrantedRun, Runner, RunnerAnswer, SyncResult } from "./sync.ts"
import { longestTransitMs, transitOf } from "./transitOf.ts"

export type PullOptions = {
  egress: Egress
  /** Stores a piece of content under the run's fence; false if its grant is no longer the newest. */
  storeChunk: (chunk: {
    connection: string
    fence: number
    grantId: string
    position: number
    data: Buffer
  }) => Promise<boolean>
  deadlineMs: number
  maxBytes: number
  serviceName: string
  /** Without one, requests are not signed. */
  signingSecret: string | undefined
}

/** Fetches a connection's source if it changed, and stores what came if it differs from what is stored. */
export function createPull(options: PullOptions): Runner {
  const { egress, storeChunk, deadlineMs, maxBytes } = options

  return async function pull(run, mayStart, signal): Promise<RunnerAnswer> {
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
    const transitMs = transitOf(outcome.timing)
    if (storing && outcome.kind === "failed" && outcome.error === "timeout") {
      // The source must not count as one that hangs: it was we who took no more.
      return { result: storageFailed(new Error("the deadline was over before it was stored")), transitMs }
    }
    if (outcome.kind !== "responded" || !holdsAll(outcome.status)) {
      return { result: judgeWithoutContent(outcome, run), transitMs }
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

/** A part that we did not ask for (206) is not the content. */
function holdsAll(status: number): boolean {
  return status >= 200 && status <= 299 && status !== 206
}

/** Thrown from within a download, because that is how a download is ended from there. */
class StaleFence extends Error {}

/**
 * The headers by which the partner knows us and the connection. Signed, they are those of Standard Webhooks over an
 * empty body, with connection and fence in the id: a signature that a listener can repeat for minutes only.
 */
function requestHeaders(
  run: GrantedRun,
  { serviceName, signingSecret }: PullOptions,
): Record<string, string> {
  const headers: Record<string, string> = { [`x-${serviceName.toLowerCase()}-connection`]: run.connection }
  if (signingSecret !== undefined) {
    const id = `${run.connection}_${run.fence}`
    const timestamp = Math.floor(Date.now() / 1_000)
    Object.assign(headers, standardWebhooksHeaders({ id, timestamp, body: "", secrets: [signingSecret] }))
  }
  if (run.snapshot?.etag) headers["if-none-match"] = run.snapshot.etag
  if (run.snapshot?.lastModified) headers["if-modified-since"] = run.snapshot.lastModified
  return headers
}

function judgeWithoutContent(outcome: DownloadOutcome, run: GrantedRun): SyncResult {
  switch (outcome.kind) {
    case "failed":
      return { outcome: "failed", error: outcome.error, detail: outcome.message }
    case "aborted":
      return { outcome: "abandoned", error: "stopped" }
    case "too-large":
      return {
        outcome: "failed",
        error: "too-large",
        detail: `the content exceeds ${outcome.limitBytes} bytes`,
      }
    case "responded": {
      // A 304 that we did not ask for says that we have something which we do not have.
      const asked = Boolean(run.snapshot?.etag || run.snapshot?.lastModified)
      if (outcome.status === 304 && asked) return { outcome: "unchanged", content: null }
      return {
        outcome: "failed",
        error: "status",
        detail: `the source answered with status ${outcome.status}`,
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
