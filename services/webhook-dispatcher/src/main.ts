import { topicNames } from "@sitewire/contracts"
import { isFaultOfData, isUnavailable, openPool, watchDatabase } from "@sitewire/database"
import { createEgress } from "@sitewire/egress"
import {
  type Consumer,
  connectKafka,
  type Incoming,
  type Outgoing,
  RecordTooLarge,
  requireTopics,
  startConsumer,
  startProducer,
  waitForBroker,
} from "@sitewire/kafka"
import { gather, kafkaAccess, persevere, runService, startRetention, waitFor } from "@sitewire/runtime"
import { createAttempt } from "./attempt.ts"
import { createChannelGates } from "./channelGates.ts"
import { deleteExpired } from "./deleteExpired.ts"
import { createDeliver } from "./deliver.ts"
import { findDeliveries } from "./findDeliveries.ts"
import { giveUp } from "./giveUp.ts"
import { createInFlight } from "./inFlight.ts"
import { loadDeliveries } from "./loadDeliveries.ts"
import { createDispatcherMetrics } from "./metrics.ts"
import { createSecretOpener, tryNewestSecret } from "./openSecrets.ts"
import { createRecall } from "./recall.ts"
import { type AttemptRecord, recordAttempts } from "./recordAttempts.ts"
import { storeDeliveries } from "./storeDeliveries.ts"
import { createTakeDue } from "./takeDue.ts"
import { createTakePaid } from "./takePaid.ts"
import { dispatcherVariables } from "./variables.ts"

/** Between an attempt's end and its row, where nothing is away. */
const recordedWithinMs = 2_000

await runService({
  name: "webhook-dispatcher",
  variables: dispatcherVariables,
  parts: ["postgres"],
  async start({ config, log, lifecycle, readiness, metrics: registry }) {
    const schedule = { delaysMs: config.RETRY_DELAYS, periodMs: config.RETRY_PERIOD }
    const topics = topicNames({ prefix: config.TOPIC_PREFIX, retryDelaysMs: schedule.delaysMs })
    // For the life of the process, whose keys do not change.
    const openSecret = createSecretOpener(config.SEALING_KEYS, (why) =>
      readiness.set("sealing keys", false, why),
    )

    const pool = openPool({
      url: config.DATABASE_URL,
      size: config.DATABASE_POOL_SIZE,
      name: "webhook-dispatcher",
    })
    lifecycle.onStop("database", pool.close)
    await waitFor({
      name: "Postgres",
      check: () => pool.sql("select 1 from delivery limit 0"),
      deadlineMs: config.STARTUP_DEADLINE,
      remedy: "Check that it runs, that DATABASE_URL names it, and that the migrations were applied.",
      log,
      signal: lifecycle.stopping,
    })
    readiness.set("postgres", true)
    // Work tells sooner; this tells while there is none.
    const stopWatching = watchDatabase({
      sql: pool.sql,
      onState: (up, why) => readiness.set("postgres connection", up, why),
    })
    lifecycle.onStop("watch", async () => stopWatching())
    await tryNewestSecret(pool.sql, openSecret).catch((error: unknown) =>
      log.error({ error }, "the newest channel's secret cannot be opened; such deliveries are put off"),
    )
    const retention = startRetention({
      retentionMs: config.RETENTION,
      deleteBefore: async (before, signal) => {
        // 10,000 rows a second at most: a day of 200 deliveries a second is gone in half an hour, unfelt.
        const { kind, ...deleted } = await deleteExpired({ pool, before, batch: 1_000, pauseMs: 100, signal })
        return { kind, deleted }
      },
      log,
    })
    lifecycle.onStop("retention", retention.close)

    const kafka = connectKafka({ ...kafkaAccess(config), clientId: "webhook-dispatcher", log })
    await waitForBroker({
      kafka,
      deadlineMs: config.STARTUP_DEADLINE,
      onWait: (waitedMs, why) => log.warn({ waitedMs, why }, "waiting for Kafka"),
    })
    await waitFor({
      name: "Kafka's topics",
      check: () =>
        requireTopics(kafka, [
          topics.sitePaid,
          topics.sitePaidInvalid,
          topics.resend,
          topics.dead,
          ...topics.retry,
        ]),
      deadlineMs: config.STARTUP_DEADLINE,
      remedy: "Run the setup job, with the same TOPIC_PREFIX and RETRY_DELAYS.",
      log,
      signal: lifecycle.stopping,
    })
    const producer = await startProducer({ kafka })
    lifecycle.onStop("producer", producer.close)

    // New events, retries, and what is recalled.
    const maxInHand = config.MAX_IN_HAND * 3
    const egress = createEgress({
      allow: config.ALLOWED_RANGES,
      allowHttp: config.ALLOW_HTTP,
      userAgent: `${config.SERVICE_NAME}/1`,
      // Channels of several partners may share an origin (a platform's, say). What bounds its connections is each
      // channel's own bound: with a smaller one, channels that hang would hold what the others wait for.
      connectionsPerOrigin: maxInHand,
    })
    lifecycle.onStop("egress", egress.close)

    const onDatabase = <T>(what: string, work: () => Promise<T>) =>
      persevere({
        what,
        work,
        isPassing: isUnavailable,
        signal: lifecycle.expiring,
        onState: (working, why) => readiness.set("postgres", working, why),
      })
    const publish = (records: Outgoing[]) =>
      persevere({
        what: "publish",
        work: () => producer.publish(records),
        isPassing: (error) => !(error instanceof RecordTooLarge),
        signal: lifecycle.expiring,
        onState: (working, why) => readiness.set("kafka producer", working, why),
      })
    const record = gather<AttemptRecord, void>({
      lingerMs: 2,
      maxBatch: 500,
      maxRunning: 2,
      run: async (batch) => {
        await onDatabase("record attempts", () => recordAttempts(pool.sql, batch))
        return []
      },
    })

    const givingUp = gather<string, void>({
      lingerMs: 2,
      maxBatch: 500,
      maxRunning: 1,
      run: async (deliveries) => {
        await onDatabase("give up deliveries", () => giveUp(pool.sql, deliveries))
        return []
      },
    })
    const gates = createChannelGates({
      maxInFlight: config.CHANNEL_MAX_IN_FLIGHT,
      slowShare: Math.floor(config.MAX_IN_HAND / 2),
      maxWaitMs: config.CHANNEL_MAX_WAIT,
      breakerFailures: config.BREAKER_FAILURES,
      breakerCooldownMs: config.BREAKER_COOLDOWN,
      onBreaker(channel, state, failures) {
        log.warn({ channel, state, failures }, "breaker of a channel")
        if (state === "open") recall.forget(channel)
      },
      onRoom: (channel) => recall.recall(channel),
    })
    // Its record comes back after the shortest delay, perhaps to another process: by then the attempt is made and recorded.
    const keptMs = Math.min(...schedule.delaysMs) - config.DELIVERY_TIMEOUT - recordedWithinMs
    const recall = createRecall({
      roomOf: gates.roomOf,
      attempt: (batch, asked, ended) => due.recall(batch, asked, ended),
      maxKept: 10_000,
      maxOut: config.MAX_IN_HAND,
      onError(error) {
        if (!lifecycle.stopping.aborted) log.error({ error }, "recalled deliveries stay in the retry topic")
      },
    })
    const inFlight = createInFlight()
    /** Empty until the groups are joined; what tells figures may be asked before. */
    const consumers = new Map<"due" | "paid", Consumer>()
    const metrics = createDispatcherMetrics(registry, {
      inHand: () => [...consumers.values()].reduce((sum, consumer) => sum + consumer.inHand(), 0),
      inFlight: () => gates.counts().inFlight,
      breakersOpen: () => gates.counts().open,
      lag: async () => consumers.get("paid")?.lag() ?? [],
    })
    const attempt = createAttempt({
      egress,
      openSecret,
      serviceName: config.SERVICE_NAME,
      timeoutMs: config.DELIVERY_TIMEOUT,
    })
    const deliver = createDeliver({
      attempt,
      gates,
      schedule,
      topics,
      publish,
      record,
      giveUp: givingUp,
      remember: recall.remember,
      keptMs,
      metrics,
      log,
    })
    const due = createTakeDue({
      load: (ids) => onDatabase("load deliveries", () => loadDeliveries(pool.sql, ids)),
      deliver,
      inFlight,
      metrics,
      log,
    })
    const takePaid = createTakePaid({
      store: (batch) => onDatabase("store deliveries", () => storeDeliveries(pool.sql, batch)),
      find: (eventIds) => onDatabase("find deliveries", () => findDeliveries(pool.sql, eventIds)),
      publish,
      deliver: async (next) => {
        inFlight.takeNew(next.id)
        try {
          await deliver(next)
        } finally {
          inFlight.release(next.id)
        }
      },
      attempt: due.attempt,
      invalidTopic: topics.sitePaidInvalid,
      isFaultOfRecord: isFaultOfData,
      metrics,
      log,
    })

    let longestDrainMs = Number.POSITIVE_INFINITY
    const onUndone = (error: unknown) => {
      if (lifecycle.stopping.aborted) return log.info("records are left undone by the stop; they come again")
      // Undone records hold up the commit for good. Starting over is what brings them back.
      log.fatal({ error }, "a record could not be handled; stopping, so that it comes again")
      // Its place never comes back, and the partitions rest meanwhile: what is waited for is the attempts under way, and
      // a consumer keeps the last 2 s to commit and to leave.
      longestDrainMs = config.DELIVERY_TIMEOUT + 2 * recordedWithinMs
      void lifecycle.stop("a record could not be handled", 1)
    }
    // Together: attempts that hang then hold up the stop once, and not once for each.
    lifecycle.onStop("consumers", (deadlineMs) => {
      const drainMs = Math.min(deadlineMs, longestDrainMs)
      return Promise.all([
        recall.close(drainMs),
        ...[...consumers.values()].map((consumer) => consumer.close(drainMs)),
      ])
    })
    type Take = (records: Incoming[], done: (record: Incoming) => void) => void
    const consume = async (
      group: "due" | "paid",
      consumed: { topic: string; delayMs?: number }[],
      take: Take,
    ) => {
      const consumer = await startConsumer({
        kafka,
        group: `${config.TOPIC_PREFIX}webhook-dispatcher.${group}`,
        topics: consumed,
        maxInHand: config.MAX_IN_HAND,
        // What waits, parsed, for room must not grow old in memory: a hundredth of a second's worth (decision 0019).
        fetchBytes: 64 * 1024,
        take,
        onHealth: (healthy, why) => readiness.set(`kafka consumer ${group}`, healthy, why),
      })
      consumers.set(group, consumer)
    }
    const waits = topics.retry.map((topic, rung) => ({ topic, delayMs: schedule.delaysMs[rung] ?? 0 }))
    await consume("due", [{ topic: topics.resend }, ...waits], (records, done) => {
      due.takeRecords(records, done).catch(onUndone)
    })
    await consume("paid", [{ topic: topics.sitePaid }], (records, done) => {
      takePaid(records, done).catch(onUndone)
    })
  },
})
