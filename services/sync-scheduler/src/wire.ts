import { batchWrites, type Sql } from "@sitewire/database"
import type { Egress } from "@sitewire/egress"
import type { Producer } from "@sitewire/kafka"
import type { Config, Lifecycle, Logger, Readiness, RetryStatement, Tracing } from "@sitewire/runtime"
import {
  type Chunk,
  type Completion,
  claimChanges,
  claimDueSyncs,
  continueClaims,
  finishRuns,
  recordTriggers,
  settleChanges,
  startGraceMs,
  storeChunk,
  storeInTurn,
} from "@sitewire/syncs"
import { createHostLimiter } from "./claim/hostLimiter.ts"
import { runDueSyncs } from "./claim/runDueSyncs.ts"
import type { schedulerVariables } from "./config.ts"
import { createIngestTriggers } from "./ingest/ingestTriggers.ts"
import type { SchedulerMetrics } from "./metrics.ts"
import { startPublishingChanges } from "./publish/startPublishingChanges.ts"
import { createDelegateRunner } from "./run/delegateRunner.ts"
import { createPullRunner } from "./run/pullRunner.ts"
import { createOpenCredentials } from "./run/runner.ts"

/** How long a batch of triggers waits for a row that another transaction has locked. */
const lockWaitMs = 1_000

export type SchedulerParts = {
  config: Config<typeof schedulerVariables>
  sql: Sql
  /** Repeats a statement while Postgres is unavailable. */
  retry: RetryStatement
  egress: { sources: Egress; executors: Egress }
  producer: Pick<Producer, "publish">
  connectionChanged: string
  lifecycle: Pick<Lifecycle, "stopping" | "expiring" | "stop">
  readiness: Pick<Readiness, "set">
  metrics: SchedulerMetrics
  tracing: Tracing
  log: Logger
}

/** Builds the stages: triggers are ingested, due syncs claimed, run and finished, and new contents published. */
export function wire(parts: SchedulerParts) {
  const { config, sql, retry, egress, producer, connectionChanged, readiness, metrics, tracing, log } = parts
  const { stopping, expiring, stop } = parts.lifecycle
  const deadlineMs = config.SYNC_DEADLINE
  const windows = {
    windowMs: config.SYNC_WINDOW,
    settleMs: config.SYNC_SETTLE,
    deadlineMs,
    startGraceMs,
  }
  const writing = {
    owner: "connection",
    idOf: ({ connection }: { connection: string }) => connection,
    ...{ retry, expiring, log },
  } as const

  const changes = startPublishingChanges({
    claim: (settings) => claimChanges(sql, settings),
    settle: (published) => settleChanges(sql, published),
    producer,
    topic: connectionChanged,
    onTopic: (working, why) => readiness.set(`kafka topic ${connectionChanged}`, working, why),
    intervalMs: 500,
    log,
  })

  const ends = batchWrites({
    ...writing,
    what: "finish runs",
    bounds: { lingerMs: 2, maxBatch: 500, maxRunning: 2 },
    write: (batch: Completion[]) => finishRuns(sql, windows, batch),
  })

  const storeOne = storeInTurn((chunk) => storeChunk(sql, chunk, config.SITE_MAX_BYTES))
  const chunks = batchWrites({
    ...writing,
    what: "store content",
    bounds: { lingerMs: 0, maxBatch: 1, maxRunning: Number.POSITIVE_INFINITY },
    write: (batch: Chunk[]) => Promise.all(batch.map(storeOne)),
  })
  const requests = {
    openCredentials: createOpenCredentials(config.SEALING_KEYS),
    deadlineMs,
    serviceName: config.SERVICE_NAME,
  }
  const runners = {
    pull: createPullRunner({
      ...requests,
      egress: egress.sources,
      storeChunk: chunks.write,
      maxBytes: config.SYNC_MAX_BYTES,
    }),
    delegate: createDelegateRunner({ ...requests, egress: egress.executors }),
  }

  const hosts = createHostLimiter({
    maxRunning: config.SYNC_MAX_RUNNING,
    maxPerHost: config.SYNC_MAX_PER_HOST,
    deadlineMs,
    windowMs: windows.windowMs,
    onBreaker(host, state, failures) {
      if (state === "closed") log.info({ host }, "a source host can be reached again")
      else
        log.warn({ host, failures }, "a source host cannot be reached; its syncs wait until a probe succeeds")
    },
  })
  const syncs = runDueSyncs({
    // Claims are no longer repeated once the process is stopping.
    claim: continueClaims((input) =>
      retry("claim due syncs", () => claimDueSyncs(sql, windows, input), stopping),
    ),
    finish: ends.write,
    lockedEnds: ends.locked,
    runners,
    hosts,
    startGraceMs,
    onClaims: (working, why) => readiness.set("claims", working, why),
    stopping,
    metrics,
    tracing,
    log,
  })

  const ingest = createIngestTriggers({
    recordTriggers: (triggers, { waitForLocks }) =>
      recordTriggers(
        sql,
        { settleMs: windows.settleMs, keepLosses: true, lockWaitMs: waitForLocks ? lockWaitMs : 0 },
        triggers,
      ),
    retry: (record) => retry("record triggers", record),
    onRecorded({ triggers, dueInMs }) {
      metrics.triggers.inc(triggers)
      if (dueInMs !== null) syncs.dueIn(dueInMs)
    },
    onInvalid: () => metrics.invalidRecords.inc(),
    onFailed(error) {
      if (stopping.aborted)
        return log.info("the stop leaves trigger records unfinished; they are consumed again")
      log.fatal({ error }, "triggers could not be recorded; stopping, so that they are consumed again")
      void stop("triggers could not be recorded", 1)
    },
    tracing,
    log,
  })
  return { ingest, syncs, hosts, changes }
}
