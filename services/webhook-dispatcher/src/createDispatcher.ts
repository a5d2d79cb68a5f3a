import type { TopicNames } from "@sitewire/contracts"
import { createLimiter } from "@sitewire/limiter"
import { type BatchBounds, batchCalls, type Logger } from "@sitewire/runtime"
import { createHandleDelivery } from "./attempt/handleDelivery.ts"
import type { SendRequest } from "./attempt/sendRequest.ts"
import type { Publish } from "./createPublish.ts"
import type { Store } from "./createStore.ts"
import { drainDeferred } from "./deferred/drainDeferred.ts"
import { expireDeferred } from "./deferred/expireDeferred.ts"
import type { ClaimedDelivery } from "./deferred/releaseClaims.ts"
import { startSweep } from "./deferred/sweep/startSweep.ts"
import type { DueDelivery } from "./delivery.ts"
import { createDeliveryLock } from "./deliveryLock.ts"
import { createHandleSitePaid } from "./intake/handleSitePaid.ts"
import type { DispatcherMetrics } from "./metrics.ts"
import { createPublishDeadLetter } from "./outcome/publishDeadLetter.ts"
import { createHandleRetries } from "./retry/handleRetries.ts"
import type { RetrySchedule } from "./retry/nextAttempt.ts"

export type DispatcherSettings = {
  schedule: RetrySchedule
  topics: TopicNames
  /** Records consumed and not finished, at most: of new events, and as many again of retries and of claimed deliveries. */
  maxOutstanding: number
  channelMaxConcurrency: number
  channelMaxWaitMs: number
  breakerFailures: number
  breakerCooldownMs: number
  overdueAfterMs: number
  deliveryTimeoutMs: number
  /** How soon a resume, a resend or another dispatcher's deferral is noticed. */
  pollIntervalMs: number
}

export type DispatcherParts = {
  settings: DispatcherSettings
  /** Retries while the database is unavailable; rejects for other reasons. */
  store: Store
  publish: Publish
  send: SendRequest
  /** Whether the database rejected what a record holds, and not the statement whatever it holds. */
  isInvalidData: (error: unknown) => boolean
  metrics: DispatcherMetrics
  log: Logger
}

/** Time to record an outcome, beyond the attempt itself. A lease that ends sooner costs a second attempt, a longer one delays after a kill. */
const recordWithinMs = 5_000
/**
 * Nobody waits for an attempt to be recorded, and each statement costs a commit, so a few attempts share one; a kill in that time repeats
 * them. In a backlog there are as many at once, and they do not linger.
 */
const recording: BatchBounds = { lingerMs: 25, flushAt: 32, maxBatch: 500, maxRunning: 2 }
/** Time to publish dead letters and to mark their deliveries. */
const expireWithinMs = 30_000

/**
 * Builds the dispatcher from what it uses, and starts what runs by itself: draining deferred deliveries, and the sweep. Whoever calls
 * it brings the records, real or simulated.
 */
export function createDispatcher(parts: DispatcherParts) {
  const { settings, store, publish, send, isInvalidData, metrics, log } = parts
  const { schedule, topics, maxOutstanding } = settings
  const claimSettings = {
    leaseMs: settings.channelMaxWaitMs + settings.deliveryTimeoutMs + recordWithinMs,
    attemptWithinMs: settings.channelMaxWaitMs + recordWithinMs / 2,
  }
  const limiter = createLimiter({
    maxConcurrency: settings.channelMaxConcurrency,
    slowConcurrency: Math.floor(maxOutstanding / 2),
    maxWaitMs: settings.channelMaxWaitMs,
    breakerFailures: settings.breakerFailures,
    breakerCooldownMs: settings.breakerCooldownMs,
    onBreaker: (channel, state, failures) =>
      log.warn({ channel, state, failures }, "circuit breaker of a channel"),
    onCapacity: (channel) => drain.onCapacity(channel),
  })
  const lock = createDeliveryLock()
  const batch = <Item>(run: (items: Item[]) => Promise<void>, bounds: BatchBounds) =>
    batchCalls<Item, void>({ ...bounds, run: (items) => run(items).then(() => []) })
  const release = batch<ClaimedDelivery>(store.releaseClaims, { lingerMs: 2, maxBatch: 500, maxRunning: 1 })
  const publishDeadLetter = createPublishDeadLetter(publish, topics.dead)

  const handleDelivery = createHandleDelivery({
    send,
    limiter,
    backlog: {
      queueReason: (channel) => drain.queueReason(channel),
      onDeferred: (channel) => drain.onDeferred(channel),
      rest: (channel) => drain.rest(channel),
    },
    schedule,
    topics,
    publish,
    publishDeadLetter,
    record: batch(store.recordAttempts, recording),
    defer: batch(store.deferDeliveries, { lingerMs: 2, maxBatch: 500, maxRunning: 2 }),
    release,
    metrics,
    log,
  })
  const drain = drainDeferred({
    findDeferredChannels: store.findDeferredChannels,
    claim: (wanted) => store.claimDeferred(wanted, claimSettings),
    limiter,
    attempt: handleClaimed,
    onPoll: expireDeferred({
      openBreakers: limiter.openBreakers,
      claim: (breakers) =>
        store.claimExpired(breakers, { periodMs: schedule.periodMs, leaseMs: expireWithinMs }),
      publishDeadLetter,
      markDead: store.markDead,
      metrics,
      log,
    }),
    pollIntervalMs: settings.pollIntervalMs,
    maxClaimed: maxOutstanding,
    metrics,
    log,
  })
  const sweep = startSweep({
    overdueAfterMs: settings.overdueAfterMs,
    sweepScheduled: store.sweepScheduled,
    sweepUnattempted: store.sweepUnattempted,
    metrics,
    log,
  })
  const retries = createHandleRetries({
    load: store.loadDeliveries,
    handleDelivery,
    lock,
    metrics,
    log,
  })
  const handleSitePaid = createHandleSitePaid({
    store: store.storeDeliveries,
    findUnattempted: store.findUnattempted,
    publish,
    handleNewDelivery: async (due) => {
      lock.acquireNew(due.id)
      try {
        await handleDelivery(due)
      } finally {
        lock.release(due.id)
      }
    },
    handleStoredDelivery: retries.attempt,
    invalidTopic: topics.sitePaidInvalid,
    isInvalidData,
    metrics,
    log,
  })

  /** A record's attempt of the same delivery may be in flight here: a resend need not wait for it, but its number must come after. */
  async function handleClaimed(due: DueDelivery): Promise<void> {
    if (!lock.acquire(due.id, () => drain.onCapacity(due.channel.id))) {
      return due.claim === null ? undefined : release({ id: due.id, leaseExpiresAt: due.claim.leaseExpiresAt })
    }
    try {
      await handleDelivery(due)
    } finally {
      lock.release(due.id)
    }
  }

  return {
    handleSitePaid,
    handleRetries: retries.handleRecords,
    counts: () => ({ ...limiter.counts(), claimed: drain.claimed() }),
    /** Claims nothing more, and waits for what was claimed. */
    async close(deadlineMs: number): Promise<void> {
      await Promise.all([sweep.close(), drain.close(deadlineMs)])
    },
  }
}

export type Dispatcher = ReturnType<typeof createDispatcher>
