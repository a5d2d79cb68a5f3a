import { setTimeout as sleep } from "node:timers/promises"
import { groupNames, topicNames } from "@sitewire/contracts"
import { isUnavailable, makeDays, openPool, readClock } from "@sitewire/database"
import { createEgress, type PolicyOptions, policyOf } from "@sitewire/egress"
import { connectKafka, requireBroker, requireTopics, startConsumer, startProducer } from "@sitewire/kafka"
import {
  connectPostgres,
  databaseAccess,
  kafkaOptions,
  publishWithinMs,
  retryStatements,
  runService,
  startRetention,
  waitForDependency,
} from "@sitewire/runtime"
import { schedulerVariables } from "./config.ts"
import { createScheduler } from "./createScheduler.ts"
import { fetchPauseMs, lockedStopMs, maxBatch } from "./intake/ingestTriggers.ts"
import { createSchedulerMetrics, registerGauges } from "./metrics.ts"
import { startPublishingChanges } from "./publish/startPublishingChanges.ts"
import { readOldestChange } from "./publish/unpublishedChanges.ts"
import { deleteOldSyncs, deletionPace } from "./retention/deleteOldSyncs.ts"
import { startGraceMs } from "./schedule/claimDueSyncs.ts"
import { readDueSyncs } from "./schedule/readDueSyncs.ts"
import { createStore } from "./store.ts"
import { createDelegateRunner } from "./sync/delegateRunner.ts"
import { createOpenCredentials } from "./sync/openCredentials.ts"
import { createPullRunner } from "./sync/pullRunner.ts"

const newestColumns =
  "select w.run_traceparents, r.traceparents, p.expires_at, u.claim_id from sync_window w, sync_run r, previous_snapshot p, unpublished_change u limit 0"

/** How long a stop waits for Kafka. A change that is not published by then is claimed again when its lease ends. */
const changesStopMs = 2_000

await runService({
  name: "sync-scheduler",
  variables: schedulerVariables,
  checks: ["kafka", "postgres"],
  async start({ config, log, lifecycle, readiness, metrics: registry, tracing }) {
    const { SYNC_DEADLINE: deadlineMs, SERVICE_NAME: serviceName } = config
    const windows = {
      windowMs: config.SYNC_WINDOW,
      settleMs: config.SYNC_SETTLE,
      deadlineMs,
      startGraceMs,
    }
    const atStart = { deadlineMs: config.STARTUP_DEADLINE, log, signal: lifecycle.stopping }

    const pool = openPool(
      {
        ...databaseAccess(config),
        size: config.DATABASE_POOL_SIZE,
        name: "sync-scheduler",
        statementTimeoutMs: 10_000,
      },
      (error) =>
        log.warn(
          { error },
          "an idle connection to Postgres failed; the pool opens another when it needs one",
        ),
    )
    await connectPostgres({
      pool,
      newestColumns,
      check: "postgres connection",
      config,
      log,
      lifecycle,
      readiness,
    })
    const store = createStore({
      pool,
      windows,
      siteMaxBytes: config.SITE_MAX_BYTES,
      retry: retryStatements({
        isTransient: isUnavailable,
        signal: lifecycle.expiring,
        onState: (working, why) => readiness.set("postgres", working, why),
      }),
      stopping: lifecycle.stopping,
      expiring: lifecycle.expiring,
      log,
    })
    const daysNotMade = (error: unknown) =>
      log.warn({ error }, "days of the next syncs could not be made; the next interval tries again")
    await makeDays(pool.sql, 1).catch(daysNotMade)
    const retention = startRetention({
      retentionMs: config.RETENTION,
      databaseTime: () => readClock(pool.sql),
      deleteBefore: async (before, signal) => {
        await makeDays(pool.sql).catch(daysNotMade)
        const { kind, ...deleted } = await deleteOldSyncs({ pool, before, ...deletionPace, signal })
        return { kind, deleted }
      },
      log,
    })
    lifecycle.onStop("retention", retention.close)

    const kafka = connectKafka({ ...kafkaOptions(config), clientId: "sync-scheduler", log })
    await waitForDependency({
      ...atStart,
      name: "Kafka",
      check: () => requireBroker(kafka),
      remedy: "Start it, or correct KAFKA_BROKERS.",
    })
    const { connectorTriggered, connectionChanged } = topicNames({
      prefix: config.TOPIC_PREFIX,
      retryDelaysMs: [],
    })
    await waitForDependency({
      ...atStart,
      name: "Kafka's topics",
      check: () => requireTopics(kafka, [connectorTriggered, connectionChanged]),
      remedy: "Run the setup job, with the same TOPIC_PREFIX.",
    })

    const metrics = createSchedulerMetrics(registry)
    const openEgress = (policy: PolicyOptions) => {
      const connectionsPerOrigin = config.SYNC_MAX_PER_HOST
      const egress = createEgress({ ...policy, userAgent: `${serviceName}/1`, connectionsPerOrigin })
      lifecycle.onStop("egress", egress.close)
      return egress
    }
    const openCredentials = createOpenCredentials(config.SEALING_KEYS)
    readiness.set("claims", true)
    const producer = await startProducer({ kafka, deadlineMs: publishWithinMs })
    lifecycle.onStop("producer", (deadlineMs) => producer.close(Math.min(deadlineMs, changesStopMs)))
    const changes = startPublishingChanges({
      claim: store.claimChanges,
      settle: store.settleChanges,
      producer,
      topic: connectionChanged,
      onTopic: (working, why) => readiness.set(`kafka topic ${connectionChanged}`, working, why),
      intervalMs: 500,
      log,
    })
    lifecycle.onStop("changes", () => Promise.race([changes.close(), sleep(changesStopMs)]))
    const scheduler = createScheduler({
      windows,
      maxRunning: config.SYNC_MAX_RUNNING,
      maxPerHost: config.SYNC_MAX_PER_HOST,
      store,
      runners: {
        pull: createPullRunner({
          egress: openEgress(policyOf(config, config.PARTNER_ALLOWED_RANGES)),
          openCredentials,
          storeChunk: store.storeChunk,
          deadlineMs,
          maxBytes: config.SYNC_MAX_BYTES,
          serviceName,
        }),
        delegate: createDelegateRunner({
          egress: openEgress({ allow: config.DELEGATE_ALLOWED_RANGES, allowHttp: true }),
          openCredentials,
          deadlineMs,
          serviceName,
        }),
      },
      onClaims: (working, why) => readiness.set("claims", working, why),
      onIngestFailed(error) {
        if (lifecycle.stopping.aborted)
          return log.info("the stop leaves trigger records unfinished; they are consumed again")
        log.fatal({ error }, "triggers could not be recorded; stopping, so that they are consumed again")
        void lifecycle.stop("triggers could not be recorded", 1)
      },
      stopping: lifecycle.stopping,
      expiring: lifecycle.expiring,
      metrics,
      tracing,
      log,
    })
    lifecycle.onStop("syncs", async (deadlineMs) => {
      const { drained } = await scheduler.close(deadlineMs)
      if (!drained)
        log.warn("the stop aborted syncs, or could not record their end; they start again in a later window")
    })

    const consumer = await startConsumer({
      kafka,
      group: groupNames(config.TOPIC_PREFIX).triggers,
      topics: [{ topic: connectorTriggered }],
      // One batch is recorded while the next is collected.
      maxOutstanding: 2 * maxBatch,
      pauseMs: fetchPauseMs,
      startDeadlineMs: config.STARTUP_DEADLINE,
      onRecords: scheduler.ingest.onRecords,
      onHealth: (healthy, why) => readiness.set("kafka", healthy, why),
    })
    lifecycle.onStop("consumer", (deadlineMs) => {
      // Until the consumer has left the group, nobody consumes its partitions.
      const waitMs = scheduler.ingest.waitsForLocks() ? Math.min(deadlineMs, lockedStopMs) : deadlineMs
      return consumer.close(waitMs)
    })
    registerGauges(registry, {
      running: scheduler.running,
      openBreakers: scheduler.openBreakers,
      due: () => readDueSyncs(pool.sql, scheduler.fullHosts()),
      oldestChangeSeconds: () => readOldestChange(pool.sql),
      lag: consumer.lag,
    })
  },
})
