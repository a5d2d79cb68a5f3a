import { topicNames } from "@sitewire/contracts"
import { isFaultOfData, isUnavailable, openPool, watchDatabase } from "@sitewire/database"
import { createEgress } from "@sitewire/egress"
import {
  type Consumer,
  connectKafka,
  type Incoming,
  requireTopics,
  startConsumer,
  startProducer,
  waitForBroker,
} from "@sitewire/kafka"
import {
  kafkaOptions,
  retryWhileUnavailable,
  runService,
  startRetention,
  waitForDependency,
} from "@sitewire/runtime"
import { createSecretOpener, tryNewestSecret } from "./attempt/openSecrets.ts"
import { createSendRequest } from "./attempt/sendRequest.ts"
import { createDispatcher, type Dispatcher } from "./createDispatcher.ts"
import { readBacklog } from "./deferred/readBacklog.ts"
import { createDispatcherMetrics } from "./metrics.ts"
import { createPublish } from "./publish.ts"
import { deleteExpired } from "./retention/deleteExpired.ts"
import { createStore } from "./store.ts"
import { dispatcherVariables } from "./variables.ts"

/** Between an attempt's end and its row, where nothing is unavailable. */
const recordedWithinMs = 2_000

await runService({
  name: "webhook-dispatcher",
  variables: dispatcherVariables,
  checks: ["postgres"],
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
    await waitForDependency({
      name: "Postgres",
      check: () => pool.sql("select deferred_at from delivery limit 0"),
      deadlineMs: config.STARTUP_DEADLINE,
      remedy: "Check that it runs, that DATABASE_URL names it, and that the migrations were applied.",
      log,
      signal: lifecycle.stopping,
    })
    readiness.set("postgres", true)
    // Statements report an outage sooner; this reports one while there are none.
    const stopWatching = watchDatabase({
      sql: pool.sql,
      onState: (up, why) => readiness.set("postgres connection", up, why),
    })
    lifecycle.onStop("watch", async () => stopWatching())
    await tryNewestSecret(pool.sql, openSecret).catch((error: unknown) =>
      log.error({ error }, "the newest channel's secret cannot be opened; such deliveries are deferred"),
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

    const kafka = connectKafka({ ...kafkaOptions(config), clientId: "webhook-dispatcher", log })
    await waitForBroker({
      kafka,
      deadlineMs: config.STARTUP_DEADLINE,
      onWait: (waitedMs, why) => log.warn({ waitedMs, why }, "waiting for Kafka"),
    })
    await waitForDependency({
      name: "Kafka's topics",
      check: () =>
        requireTopics(kafka, [topics.sitePaid, topics.sitePaidInvalid, topics.dead, ...topics.retry]),
      deadlineMs: config.STARTUP_DEADLINE,
      remedy: "Run the setup job, with the same TOPIC_PREFIX and RETRY_DELAYS.",
      log,
      signal: lifecycle.stopping,
    })
    const producer = await startProducer({ kafka })
    lifecycle.onStop("producer", producer.close)

    const egress = createEgress({
      allow: config.ALLOWED_RANGES,
      allowHttp: config.ALLOW_HTTP,
      userAgent: `${config.SERVICE_NAME}/1`,
      // Channels of several partners may share an origin (a platform's, say). What bounds its connections is each
      // channel's own limit: with a smaller one, channels that hang would hold what the others wait for. New events, retries and claimed
      // deliveries.
      connectionsPerOrigin: config.MAX_OUTSTANDING_RECORDS * 3,
    })
    lifecycle.onStop("egress", egress.close)

    /** Empty until the groups are joined: metrics may be read before. */
    const consumers = new Map<"retries" | "paid", Consumer>()
    let dispatcher: Dispatcher | null = null
    const metrics = createDispatcherMetrics(registry, {
      outstanding: () => [...consumers.values()].reduce((sum, consumer) => sum + consumer.outstanding(), 0),
      inFlight: () => dispatcher?.counts().inFlight ?? 0,
      breakersOpen: () => dispatcher?.counts().open ?? 0,
      lag: async () => consumers.get("paid")?.lag() ?? [],
      backlog: () => readBacklog(pool.sql),
    })
    const running = createDispatcher({
      settings: {
        schedule,
        topics,
        maxOutstanding: config.MAX_OUTSTANDING_RECORDS,
        channelMaxConcurrency: config.CHANNEL_MAX_IN_FLIGHT,
        channelMaxWaitMs: config.CHANNEL_MAX_WAIT,
        breakerFailures: config.BREAKER_FAILURES,
        breakerCooldownMs: config.BREAKER_COOLDOWN,
        overdueAfterMs: config.OVERDUE_AFTER,
        deliveryTimeoutMs: config.DELIVERY_TIMEOUT,
        lookEveryMs: 500,
      },
      store: createStore({
        pool,
        retry: (what, work) =>
          retryWhileUnavailable({
            what,
            work,
            isTransient: isUnavailable,
            signal: lifecycle.expiring,
            onState: (working, why) => readiness.set("postgres", working, why),
          }),
      }),
      publish: createPublish({
        producer,
        signal: lifecycle.expiring,
        onState: (working, why) => readiness.set("kafka producer", working, why),
        onTopic: (topic, working, why) => readiness.set(`kafka topic ${topic}`, working, why),
        log,
      }),
      send: createSendRequest({
        egress,
        openSecret,
        serviceName: config.SERVICE_NAME,
        timeoutMs: config.DELIVERY_TIMEOUT,
      }),
      isFaultOfRecord: isFaultOfData,
      metrics,
      log,
    })
    dispatcher = running

    let longestDrainMs = Number.POSITIVE_INFINITY
    const onUnfinished = (error: unknown) => {
      if (lifecycle.stopping.aborted)
        return log.info("the stop leaves records unfinished; they are consumed again")
      // An unfinished record holds up the commits of its partition for good. Only a new start consumes it again.
      log.fatal({ error }, "a record could not be handled; stopping, so that it is consumed again")
      // The outstanding slot of the record is never released. What is waited for is the attempts in flight, and a consumer reserves the last
      // 2 s to commit and to leave.
      longestDrainMs = config.DELIVERY_TIMEOUT + 2 * recordedWithinMs
      void lifecycle.stop("a record could not be handled", 1)
    }
    // Together: attempts that hang then hold up the stop once, and not once for each.
    lifecycle.onStop("consumers", (deadlineMs) => {
      const drainMs = Math.min(deadlineMs, longestDrainMs)
      return Promise.all([
        running.close(drainMs),
        ...[...consumers.values()].map((consumer) => consumer.close(drainMs)),
      ])
    })
    type Handle = (records: Incoming[], done: (record: Incoming) => void) => Promise<void>
    const consume = async (
      name: "retries" | "paid",
      group: string,
      consumed: { topic: string; delayMs?: number }[],
      handle: Handle,
    ) => {
      const consumer = await startConsumer({
        kafka,
        group: `${config.TOPIC_PREFIX}webhook-dispatcher.${group}`,
        topics: consumed,
        maxOutstanding: config.MAX_OUTSTANDING_RECORDS,
        // What waits, parsed, for a slot must not grow old in memory: a hundredth of a second's worth (decision 0019).
        fetchBytes: 64 * 1024,
        take: (records, done) => void handle(records, done).catch(onUnfinished),
        onHealth: (healthy, why) => readiness.set(`kafka consumer ${group}`, healthy, why),
      })
      consumers.set(name, consumer)
    }
    const scheduled = topics.retry.map((topic, step) => ({ topic, delayMs: schedule.delaysMs[step] ?? 0 }))
    await consume("retries", "due", scheduled, running.handleRetries)
    await consume("paid", "paid", [{ topic: topics.sitePaid }], running.handleSitePaid)
  },
})
