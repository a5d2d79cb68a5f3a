import type { TopicNames } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type * as deliveries from "@sitewire/deliveries"
import { countUnreachable } from "@sitewire/deliveries"
import { createLimiter } from "@sitewire/limiter"
import type { Config, Logger, RetryStatement, Tracing } from "@sitewire/runtime"
import type { dispatcherVariables } from "./config.ts"
import type { Publish } from "./createPublish.ts"
import { expireDeferred, startEndingDeleted } from "./end/endDeliveries.ts"
import { startPublishingEnds } from "./end/startPublishingEnds.ts"
import { createHandleDelivery } from "./handleDelivery.ts"
import type { DispatcherMetrics } from "./metrics.ts"
import { createWrites, type WriteParts } from "./record.ts"
import type { AttemptParts } from "./send/sendRequest.ts"
import { watchNetwork } from "./send/watchNetwork.ts"
import { createBacklogs } from "./source/backlogs.ts"
import { drainDeferred } from "./source/drainDeferred.ts"
import { createHandleRetries } from "./source/handleRetries.ts"
import { createHandleSitePaid, type HandleSitePaidParts } from "./source/handleSitePaid.ts"
import { createStartClaimed } from "./source/startClaimed.ts"
import type { ChannelStatus } from "./status/startReportingStatus.ts"

export type DispatcherParts = {
  config: Pick<
    Config<typeof dispatcherVariables>,
    | ("RETRY_DELAYS" | "RETRY_PERIOD" | "PUBLISH_OUTCOMES" | "MAX_OUTSTANDING_RECORDS" | "DELIVERY_TIMEOUT")
    | ("CHANNEL_MAX_CONCURRENCY" | "CHANNEL_MAX_WAIT" | "BREAKER_FAILURES" | "BREAKER_COOLDOWN")
  >
  topics: TopicNames
  /** Only a poll shows that a channel was resumed or deleted, or that a resend was requested. */
  intervals: { pollMs: number; reportMs: number }
  longestStatementMs: number
  sql: Sql
  /** Repeats a statement while Postgres is unavailable. Those that run at intervals need no repetition. */
  retry: RetryStatement
  /** What the statements about new events share: the list of erasures. */
  events: HandleSitePaidParts["events"] & WriteParts["events"]
  /** Of deliveries. Tests simulate them. */
  statements: typeof deliveries
  publish: Publish
  send: AttemptParts["send"]
  onNetwork: (isUp: boolean, why: string) => void
  metrics: DispatcherMetrics
  tracing: Tracing
  expiring: AbortSignal
  log: Logger
}

/** For a late start of an attempt, and for recording it. */
const marginMs = 2_500

/** Builds the stages, in the order in which a delivery passes them. Starts to attempt what is stored. */
export function wire(parts: DispatcherParts) {
  const { config, topics, intervals, sql, statements, publish, metrics, log } = parts
  const { pollMs: pollIntervalMs } = intervals
  const maxOutstanding = config.MAX_OUTSTANDING_RECORDS
  const schedule = { delaysMs: config.RETRY_DELAYS, periodMs: config.RETRY_PERIOD }
  const stopping = new AbortController()
  const network = createNetworkWatch(parts)
  const backlogs = createBacklogs(stopping.signal)
  const limiter = createDispatcherLimiter(parts, backlogs.onCapacity)
  const writes = createWrites(parts)
  const handleDelivery = createHandleDelivery({
    ...parts,
    ...writes,
    network,
    limiter,
    backlogs,
    schedule,
  })

  const handleSitePaid = createHandleSitePaid({
    ...parts,
    ...writes,
    handleDelivery,
    invalidTopic: topics.sitePaidInvalid,
  })

  const claimSettings = leaseOf(parts)
  const startClaimed = (most: number) =>
    createStartClaimed({
      attempt: handleDelivery,
      release: writes.releaseClaim,
      most,
      onFree: backlogs.wake,
      stopping: stopping.signal,
      metrics,
      log,
    })
  // The consumer limits how many are woken.
  const woken = startClaimed(Number.POSITIVE_INFINITY)
  const handleRetries = createHandleRetries({
    claim: (wakes) => statements.claimScheduled(sql, wakes, claimSettings),
    start: woken.start,
    metrics,
    log,
  })

  const unreachable = countUnreachable({
    openBreakers: limiter.openBreakers,
    isNetworkDown: network.isDown,
    report: (open) => statements.reportUnreachable(sql, open),
    pollIntervalMs,
  })
  const expire = expireDeferred({
    openBreakers: limiter.openBreakers,
    endExpired: (channels) => statements.endExpired(sql, channels, { periodMs: schedule.periodMs }),
    scanFrom: backlogs.scanFrom,
    log,
  })
  const claimed = startClaimed(maxOutstanding)
  const draining = drainDeferred({
    makeDue: () => statements.makeDue(sql),
    findDeferredChannels: () => statements.findDeferredChannels(sql),
    claim: (requests) => statements.claimDeferred(sql, requests, claimSettings),
    backlogs,
    limiter,
    claimed,
    async onPoll(isPaused) {
      await unreachable.poll(isPaused)
      await expire()
    },
    pollIntervalMs,
    stopping: stopping.signal,
    metrics,
    log,
  })

  const ending = startEndingDeleted({
    intervalMs: intervals.reportMs,
    endDeleted: (most) => statements.endDeleted(sql, most),
    log,
  })
  const claimEnded = statements.createClaimEnded()
  const ends = startPublishingEnds({
    claim: (most) => claimEnded(sql, most),
    settle: (ended) => statements.settleEnded(sql, ended),
    publish,
    topics: { dead: topics.dead, outcome: config.PUBLISH_OUTCOMES ? topics.outcome : null },
    intervalMs: pollIntervalMs,
    metrics,
    log,
  })

  return {
    handleSitePaid,
    handleRetries,
    counts: limiter.counts,
    /** Channels that fail, are slow, or have deferred deliveries. */
    statuses: (): ChannelStatus[] =>
      [...new Set([...limiter.unusual(), ...backlogs.all()])].map((channel) => ({
        channel,
        ...limiter.status(channel),
      })),
    forget: limiter.forget,
    closeBreaker: limiter.close,
    async close(deadlineMs: number): Promise<void> {
      stopping.abort()
      await Promise.all([ending.close(), ends.close(), draining])
      await Promise.all([claimed.idle(deadlineMs), woken.idle(deadlineMs)])
    },
  }
}

/**
 * The lease outlasts the statement that claims, the attempt, and the statement that records it. Otherwise, if Postgres is slow, the
 * delivery would be claimed and released for ever, or sent twice.
 */
function leaseOf({ config, longestStatementMs }: DispatcherParts) {
  const attemptWithinMs = longestStatementMs + config.CHANNEL_MAX_WAIT + marginMs
  return {
    attemptWithinMs,
    leaseMs: attemptWithinMs + config.DELIVERY_TIMEOUT + marginMs + longestStatementMs,
  }
}

function createNetworkWatch({ onNetwork, log }: DispatcherParts) {
  return watchNetwork({
    onState(isUp, why) {
      onNetwork(isUp, why)
      if (isUp) log.warn("channels can be reached again")
      else log.error({ why }, "hardly any channel can be reached; deliveries wait, and no retry period runs")
    },
  })
}

function createDispatcherLimiter({ config, log }: DispatcherParts, onCapacity: (channel: string) => void) {
  const maxOutstanding = config.MAX_OUTSTANDING_RECORDS
  return createLimiter({
    maxConcurrency: config.CHANNEL_MAX_CONCURRENCY,
    // Together three quarters: the rest is for channels that respond quickly.
    slowConcurrency: Math.floor(maxOutstanding / 2),
    unknownConcurrency: Math.ceil(maxOutstanding / 4),
    maxWaitMs: config.CHANNEL_MAX_WAIT,
    breakerFailures: config.BREAKER_FAILURES,
    breakerCooldownMs: config.BREAKER_COOLDOWN,
    onBreaker: (channel, state, failures) =>
      log.warn(
        { channel, failures },
        state === "open"
          ? "circuit breaker opened; the channel's deliveries are deferred until a probe succeeds"
          : "circuit breaker closed; the channel's deliveries are attempted again",
      ),
    onCapacity,
  })
}

export type Dispatcher = ReturnType<typeof wire>
