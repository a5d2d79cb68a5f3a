import type { TopicNames } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type * as deliveries from "@sitewire/deliveries"
import { countUnreachable, type EventStore, type RetrySchedule } from "@sitewire/deliveries"
import { createLimiter } from "@sitewire/limiter"
import type { Logger, RetryStatement, Tracing } from "@sitewire/runtime"
import type { Publish } from "./createPublish.ts"
import { expireDeferred } from "./end/expireDeferred.ts"
import { startEndingDeliveries } from "./end/startEndingDeliveries.ts"
import { startPublishingEnds } from "./end/startPublishingEnds.ts"
import { createHandleDelivery } from "./handleDelivery.ts"
import type { DispatcherMetrics } from "./metrics.ts"
import { createWrites } from "./record/createWrites.ts"
import { createScheduleRetry } from "./record/recordOutcome.ts"
import type { SendRequest } from "./send/sendRequest.ts"
import { watchNetwork } from "./send/watchNetwork.ts"
import { createBacklogs } from "./source/backlogs.ts"
import { drainDeferred } from "./source/drainDeferred.ts"
import { createHandleRetries } from "./source/handleRetries.ts"
import { createHandleSitePaid } from "./source/handleSitePaid.ts"
import { createStartClaimed } from "./source/startClaimed.ts"
import type { ChannelStatus } from "./status/writeStatus.ts"

export type DispatcherSettings = {
  schedule: RetrySchedule
  topics: TopicNames
  publishOutcomes: boolean
  /** How many deliveries may be unfinished, separately for new events, retries and claimed deliveries. */
  maxOutstanding: number
  channelMaxConcurrency: number
  channelMaxWaitMs: number
  breakerFailures: number
  breakerCooldownMs: number
  deliveryTimeoutMs: number
  /**
   * The interval at which Postgres is polled for deferred deliveries. Only a poll shows that a channel was
   * resumed, that a resend was requested, or that the lease of another process ended.
   */
  pollIntervalMs: number
  /** The interval at which Postgres is polled for deleted channels. */
  deletedChannelsIntervalMs: number
  /** How long a statement takes at most. */
  longestStatementMs: number
}

export type DispatcherParts = {
  settings: DispatcherSettings
  sql: Sql
  /** Repeats a statement while Postgres is unavailable. Statements that run at intervals need no repetition. */
  retry: RetryStatement
  events: EventStore
  /** Of deliveries. Tests simulate them. */
  statements: typeof deliveries
  publish: Publish
  send: SendRequest
  /** Called when the network, as the attempts see it, goes down or comes back. */
  onNetwork: (isUp: boolean, why: string) => void
  metrics: DispatcherMetrics
  tracing: Tracing
  /** Aborted when no outcome can be recorded any more, because the process stops. */
  expiring: AbortSignal
  log: Logger
}

/** For a late start of an attempt, and for recording it. */
const reserveMs = 2_500

/**
 * Builds the stages, in the order in which a delivery passes them: a source (an event, or a claim of what is stored), and what
 * every attempt goes through (`createHandleDelivery`). Starts to attempt what is stored.
 */
export function wire(parts: DispatcherParts) {
  const { settings, sql, statements, publish, metrics, log } = parts
  const { schedule, topics, maxOutstanding } = settings
  const stopping = new AbortController()
  const network = createNetworkWatch(parts)
  const backlogs = createBacklogs()
  const limiter = createDispatcherLimiter(settings, backlogs.onCapacity, log)
  const writes = createWrites(parts)
  const handleDelivery = createHandleDelivery({
    ...parts,
    ...writes,
    network,
    limiter,
    backlog: backlogs,
    schedule,
    scheduleRetry: createScheduleRetry(publish, topics.retry),
  })

  const handleSitePaid = createHandleSitePaid({
    ...parts,
    ...writes,
    handleDelivery,
    invalidTopic: topics.sitePaidInvalid,
  })

  const claimSettings = leaseOf(settings)
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
    pollIntervalMs: settings.pollIntervalMs,
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
    pollIntervalMs: settings.pollIntervalMs,
    stopping: stopping.signal,
    metrics,
    log,
  })

  const ending = startEndingDeliveries({
    intervalMs: settings.deletedChannelsIntervalMs,
    findDeletedChannels: () => statements.findDeletedChannels(sql),
    endDeliveries: (channel, most) => statements.endDeliveries(sql, channel, most),
    log,
  })
  const claimEnded = statements.createClaimEnded()
  const ends = startPublishingEnds({
    claim: (most) => claimEnded(sql, most),
    settle: (ended) => statements.settleEnded(sql, ended),
    publish,
    topics: { dead: topics.dead, outcome: settings.publishOutcomes ? topics.outcome : null },
    intervalMs: settings.pollIntervalMs,
    metrics,
    log,
  })

  function statusOf(channel: string): ChannelStatus {
    const { openedAt, failures, limit, inFlight, averageMs } = limiter.status(channel)
    return {
      channel,
      breakerOpenForMs: openedAt === null ? null : performance.now() - openedAt,
      failures,
      concurrencyLimit: limit,
      inFlight,
      averageMs: Math.round(averageMs),
    }
  }

  return {
    handleSitePaid,
    handleRetries,
    counts: () => ({ ...limiter.counts(), claimed: claimed.unfinished() }),
    /** Channels that fail, are slow, or have deferred deliveries. */
    statuses: (): ChannelStatus[] => [...new Set([...limiter.unusual(), ...backlogs.all()])].map(statusOf),
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
 * The lease outlasts the statement that claims, the attempt, and the statement that records it. A shorter one would end before the attempt
 * if Postgres is slow, and the delivery would be claimed and released for ever, or sent twice.
 */
function leaseOf({ channelMaxWaitMs, deliveryTimeoutMs, longestStatementMs }: DispatcherSettings) {
  const attemptWithinMs = longestStatementMs + channelMaxWaitMs + reserveMs
  return { attemptWithinMs, leaseMs: attemptWithinMs + deliveryTimeoutMs + reserveMs + longestStatementMs }
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

function createDispatcherLimiter(
  settings: DispatcherSettings,
  onCapacity: (channel: string) => void,
  log: Logger,
) {
  const { maxOutstanding } = settings
  return createLimiter({
    maxConcurrency: settings.channelMaxConcurrency,
    // Together three quarters: the rest is for channels that respond quickly.
    slowConcurrency: Math.floor(maxOutstanding / 2),
    unknownConcurrency: Math.ceil(maxOutstanding / 4),
    maxWaitMs: settings.channelMaxWaitMs,
    breakerFailures: settings.breakerFailures,
    breakerCooldownMs: settings.breakerCooldownMs,
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
