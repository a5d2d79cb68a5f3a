import type { TopicNames } from "@sitewire/contracts"
import { createLimiter } from "@sitewire/limiter"
import type { Logger, Tracing } from "@sitewire/runtime"
import { createHandleDelivery } from "./attempt/handleDelivery.ts"
import type { SendRequest } from "./attempt/sendRequest.ts"
import { watchNetwork } from "./attempt/watchNetwork.ts"
import { batchWrites } from "./batchWrites.ts"
import type { Publish } from "./createPublish.ts"
import type { Store } from "./createStore.ts"
import { countUnreachable } from "./deferred/countUnreachable.ts"
import { drainDeferred } from "./deferred/drainDeferred.ts"
import { expireDeferred } from "./deferred/expireDeferred.ts"
import { startSweep } from "./deferred/sweep/startSweep.ts"
import { startEndingDeliveries } from "./deletedChannels/startEndingDeliveries.ts"
import type { DueDelivery } from "./delivery.ts"
import { createHandleSitePaid } from "./intake/handleSitePaid.ts"
import { createKeyedLock } from "./keyedLock.ts"
import type { DispatcherMetrics } from "./metrics.ts"
import { startPublishingEnds } from "./outcome/startPublishingEnds.ts"
import { createHandleRetries } from "./retry/handleRetries.ts"
import type { RetrySchedule } from "./retry/nextAttempt.ts"
import { createScheduleRetry, giveUpAfterMs } from "./retry/scheduleRetry.ts"
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
  overdueAfterMs: number
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
  store: Store
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
 * Starts to attempt deferred deliveries, and to search for deliveries whose Kafka record was lost (the
 * sweep).
 */
export function createDispatcher(parts: DispatcherParts) {
  const { settings, store, publish, send, metrics, tracing, log } = parts
  const network = watchNetwork({
    onState(isUp, why) {
      parts.onNetwork(isUp, why)
      if (isUp) log.warn("channels can be reached again")
      else log.error({ why }, "hardly any channel can be reached; deliveries wait, and no retry period runs")
    },
  })
  const { schedule, topics, maxOutstanding, longestStatementMs } = settings
  // From an attempt's start until its outcome can be recorded, which waits for the retry's record in Kafka.
  const attemptMs = settings.deliveryTimeoutMs + giveUpAfterMs + reserveMs
  const startMs = settings.channelMaxWaitMs + reserveMs
  // The lease outlasts both statements. A shorter one would end before the attempt if Postgres is slow, and the delivery would be
  // claimed and released for ever, or sent twice.
  const attemptWithinMs = longestStatementMs + startMs
  const claimSettings = { attemptWithinMs, leaseMs: attemptWithinMs + attemptMs + longestStatementMs }
  const limiter = createLimiter({
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
    onCapacity: (channel) => drain.onCapacity(channel),
  })
  const lock = createKeyedLock()
  const writes = batchWrites(store, { signal: parts.expiring, log })

  const handleDelivery = createHandleDelivery({
    ...writes,
    send,
    network,
    limiter,
    backlog: {
      queueReason: (channel) => drain.queueReason(channel),
      onDeferred: (channel, reason) => drain.onDeferred(channel, reason),
      backOff: (channel) => drain.backOff(channel),
    },
    schedule,
    scheduleRetry: createScheduleRetry(publish, topics.retry),
    metrics,
    tracing,
    log,
  })
  const unreachable = countUnreachable({
    openBreakers: limiter.openBreakers,
    isNetworkDown: network.isDown,
    report: store.reportUnreachable,
    pollIntervalMs: settings.pollIntervalMs,
  })
  const expire = expireDeferred({
    openBreakers: limiter.openBreakers,
    endExpired: (channels) => store.endExpired(channels, { periodMs: schedule.periodMs }),
    scanFrom: (channel) => drain.scanFrom(channel),
    log,
  })
  const drain = drainDeferred({
    findDeferredChannels: store.findDeferredChannels,
    claim: (requests) => store.claimDeferred(requests, claimSettings),
    limiter,
    attempt: handleClaimed,
    release: releaseClaimed,
    async onPoll(isPaused) {
      await unreachable.poll(isPaused)
      await expire()
    },
    pollIntervalMs: settings.pollIntervalMs,
    maxClaimed: maxOutstanding,
    metrics,
    log,
  })
  const sweep = startSweep({
    overdueAfterMs: settings.overdueAfterMs,
    sweepScheduled: store.sweepScheduled,
    readClock: store.readClock,
    metrics,
    log,
  })
  const ending = startEndingDeliveries({
    attemptsEndWithinMs: startMs + attemptMs,
    intervalMs: settings.deletedChannelsIntervalMs,
    findDeletedChannels: store.findDeletedChannels,
    endDeliveries: store.endDeliveries,
    log,
  })
  const ends = startPublishingEnds({
    claim: store.claimEnded,
    settle: store.settleEnded,
    publish,
    topics: { dead: topics.dead, outcome: settings.publishOutcomes ? topics.outcome : null },
    intervalMs: settings.pollIntervalMs,
    metrics,
    log,
  })
  const handleRetries = createHandleRetries({
    load: store.loadDeliveries,
    handleDelivery,
    lock,
    metrics,
    log,
  })
  const handleSitePaid = createHandleSitePaid({
    lookUp: store.lookUpEvents,
    store: writes.storeDelivery,
    publish,
    handleNewDelivery,
    lock: createKeyedLock(),
    invalidTopic: topics.sitePaidInvalid,
    metrics,
    tracing,
    log,
  })

  async function acquireLock(id: string): Promise<void> {
    for (;;) {
      const released = Promise.withResolvers<void>()
      if (lock.acquire(id, released.resolve)) return
      await released.promise
    }
  }

  async function handleNewDelivery(due: DueDelivery): Promise<void> {
    // After a crash, a retry of this attempt may have been published: its record waits for the repeated attempt.
    await acquireLock(due.id)
    try {
      await handleDelivery(due)
    } finally {
      lock.release(due.id)
    }
  }

  /**
   * Another attempt of the delivery may still be in flight, if a resend was requested during it. The claim is
   * then released, and made again after that attempt.
   */
  async function handleClaimed(due: DueDelivery): Promise<void> {
    if (!lock.acquire(due.id, () => drain.onCapacity(due.channel.id))) return releaseClaimed(due)
    try {
      await handleDelivery(due)
    } finally {
      lock.release(due.id)
    }
  }

  async function releaseClaimed({ id, claim }: DueDelivery): Promise<void> {
    if (claim) await writes.releaseClaim({ id, leaseExpiresAt: claim.leaseExpiresAt })
  }

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
    counts: () => ({ ...limiter.counts(), claimed: drain.claimed() }),
    /** Channels that fail, are slow, or have deferred deliveries. */
    statuses: (): ChannelStatus[] => [...new Set([...limiter.unusual(), ...drain.channels()])].map(statusOf),
    forget: limiter.forget,
    async close(deadlineMs: number): Promise<void> {
      await Promise.all([sweep.close(), ending.close(), ends.close(), drain.close(deadlineMs)])
    },
  }
}

export type Dispatcher = ReturnType<typeof createDispatcher>
