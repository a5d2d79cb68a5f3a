import { topicNames } from "@sitewire/contracts"
import { isUnavailable, openPool, watchDatabase } from "@sitewire/database"
import { createEgress } from "@sitewire/egress"
import { connectKafka, requireTopics, startConsumer, waitForBroker } from "@sitewire/kafka"
import {
  batchCalls,
  kafkaOptions,
  retryWhileUnavailable,
  runService,
  startRetention,
  waitForDependency,
} from "@sitewire/runtime"
import { claimEach } from "./claimEach.ts"
import { countDue } from "./countDue.ts"
import { createDelegate } from "./delegate.ts"
import { deleteOldRuns } from "./deleteOldRuns.ts"
import { finishEach } from "./finishEach.ts"
import type { Completion, Finish } from "./finishRuns.ts"
import { createHostPermits } from "./hostPermits.ts"
import { createSchedulerMetrics, exposeState } from "./metrics.ts"
import { createPull } from "./pull.ts"
import { isRefused, raiseTriggers } from "./raiseTriggers.ts"
import { runDue } from "./runDue.ts"
import { storeChunk } from "./storeChunk.ts"
import { maxBatch, takeTriggers } from "./takeTriggers.ts"
import { schedulerVariables } from "./variables.ts"

await runService({
  name: "sync-scheduler",
  variables: schedulerVariables,
  checks: ["kafka", "postgres"],
  async start({ config, log, lifecycle, readiness, metrics: registry }) {
    const { SYNC_DEADLINE: deadlineMs, SERVICE_NAME: serviceName } = config
    const windows = {
      windowMs: config.SYNC_WINDOW,
      settleMs: config.SYNC_SETTLE,
      deadlineMs,
      // Time for name lookup, connecting and TLS as well, two lost SYNs among them. Longer costs only a start after a crash.
      startGraceMs: 5_000,
    }

    const pool = openPool(
      {
        url: config.DATABASE_URL,
        size: config.DATABASE_POOL_SIZE,
        name: "sync-scheduler",
        statementTimeoutMs: 10_000,
      },
      (error) => log.warn({ error }, "an idle database connection broke"),
    )
    lifecycle.onStop("database", pool.close)
    await waitForDependency({
      name: "Postgres",
      check: () => pool.sql("select 1 from sync_window limit 0"),
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
    const onDatabase = <T>(what: string, work: () => Promise<T>, signal = lifecycle.expiring) =>
      retryWhileUnavailable({
        what,
        work,
        isTransient: isUnavailable,
        signal,
        onState: (working, why) => readiness.set("postgres", working, why),
      })

    const retention = startRetention({
      retentionMs: config.RETENTION,
      deleteBefore: async (before, signal) => {
        // 10,000 rows a second at most: 100,000 connections that sync every minute add 1,700.
        const { kind, ...deleted } = await deleteOldRuns({ pool, before, batch: 1_000, pauseMs: 100, signal })
        return { kind, deleted }
      },
      log,
    })
    lifecycle.onStop("retention", retention.close)

    const kafka = connectKafka({ ...kafkaOptions(config), clientId: "sync-scheduler", log })
    await waitForBroker({
      kafka,
      deadlineMs: config.STARTUP_DEADLINE,
      onWait: (waitedMs, why) => log.warn({ waitedMs, why }, "waiting for Kafka"),
    })
    const { connectorTriggered } = topicNames({ prefix: config.TOPIC_PREFIX, retryDelaysMs: [] })
    await waitForDependency({
      name: "Kafka's topics",
      check: () => requireTopics(kafka, [connectorTriggered]),
      deadlineMs: config.STARTUP_DEADLINE,
      remedy: "Run the setup job, with the same TOPIC_PREFIX.",
      log,
      signal: lifecycle.stopping,
    })

    const metrics = createSchedulerMetrics(registry)
    const egress = (allow: string[], allowHttp: boolean) => {
      const connectionsPerOrigin = config.SYNC_MAX_PER_HOST
      const calls = createEgress({ allow, allowHttp, userAgent: `${serviceName}/1`, connectionsPerOrigin })
      lifecycle.onStop("egress", calls.close)
      return calls
    }
    const finish = batchCalls<Completion, Finish>({
      lingerMs: 2,
      maxBatch: 500,
      maxRunning: 2,
      run: (batch) => onDatabase("finish runs", () => finishEach(pool.sql, windows, batch)),
    })
    const slowMs = deadlineMs / 5
    const permits = createHostPermits({
      maxRunning: config.SYNC_MAX_RUNNING,
      maxPerHost: config.SYNC_MAX_PER_HOST,
      slowMs,
      windowMs: windows.windowMs,
      onBreaker(host, state, failures) {
        if (state === "open")
          log.warn(
            { host, failures },
            "a source host cannot be reached; its syncs wait for a probe to succeed",
          )
        else log.info({ host }, "a source host can be reached again")
      },
    })
    readiness.set("claims", true)
    const syncs = runDue({
      claim: (input) => onDatabase("claim", () => claimEach(pool.sql, windows, input), lifecycle.stopping),
      finish,
      runners: {
        pull: createPull({
          egress: egress(config.ALLOWED_RANGES, config.ALLOW_HTTP),
          storeChunk: (chunk) => onDatabase("store content", () => storeChunk(pool.sql, chunk)),
          deadlineMs,
          maxBytes: config.SYNC_MAX_BYTES,
          serviceName,
          signingSecret: config.SYNC_SIGNING_SECRET,
        }),
        delegate: createDelegate({
          egress: egress(config.DELEGATE_ALLOWED_RANGES, true),
          deadlineMs,
          serviceName,
          secret: config.DELEGATE_SECRET,
        }),
      },
      permits,
      slowMs,
      windowMs: windows.windowMs,
      startGraceMs: windows.startGraceMs,
      onClaims: (working, why) => readiness.set("claims", working, why),
      stopping: lifecycle.stopping,
      metrics,
      log,
    })
    lifecycle.onStop("syncs", async (deadlineMs) => {
      const { drained } = await syncs.close(deadlineMs)
      if (!drained)
        log.warn("syncs were aborted by the stop, or their end not recorded; they start again later")
    })

    const consumer = await startConsumer({
      kafka,
      group: `${config.TOPIC_PREFIX}sync-scheduler`,
      topics: [{ topic: connectorTriggered }],
      // One statement is raised while as many are gathered for the next: the larger, the more of a connection's triggers
      // become one row.
      maxOutstanding: 2 * maxBatch,
      startDeadlineMs: config.STARTUP_DEADLINE,
      take: takeTriggers({
        raise: (triggers) => onDatabase("raise triggers", () => raiseTriggers(pool.sql, windows, triggers)),
        isRefused,
        onRaised({ triggers, dueInMs }) {
          metrics.triggers.inc(triggers)
          if (dueInMs !== null) syncs.dueIn(dueInMs)
        },
        onRefused: () => metrics.refused.inc(),
        onStuck(error) {
          if (lifecycle.stopping.aborted)
            return log.info("triggers are left undone by the stop; they come again")
          // Undone records hold up the commit for good. Starting over is what brings them back.
          log.fatal({ error }, "triggers could not be taken in; stopping, so that they come again")
          void lifecycle.stop("triggers could not be taken in", 1)
        },
        log,
      }),
      onHealth: (healthy, why) => readiness.set("kafka", healthy, why),
    })
    lifecycle.onStop("consumer", (deadlineMs) => consumer.close(deadlineMs))
    exposeState(registry, {
      running: syncs.running,
      openBreakers: permits.openBreakers,
      due: () => countDue(pool.sql),
      lag: consumer.lag,
    })
  },
})
