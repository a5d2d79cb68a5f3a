import { setTimeout as sleep } from "node:timers/promises"
import { groupNames, topicNames } from "@sitewire/contracts"
import { openDatabase, startRetention } from "@sitewire/database"
import { createEgress, type PolicyOptions, policyOf } from "@sitewire/egress"
import { connectKafka, requireBroker, requireTopics, startConsumer, startProducer } from "@sitewire/kafka"
import { kafkaOptions, publishWithinMs, runService, waitForKafka } from "@sitewire/runtime"
import { deleteOldSyncs, readDueSyncs, readOldestChange } from "@sitewire/syncs"
import { requireWindow, schedulerVariables } from "./config.ts"
import { fetchPauseMs, lockedStopMs, maxBatch } from "./ingest/ingestTriggers.ts"
import { createSchedulerMetrics, registerGauges } from "./metrics.ts"
import { wire } from "./wire.ts"

const newestColumns =
  "select w.run_traceparents, r.traceparents, p.replaced_at, u.claim_id from sync_window w, sync_run r, previous_snapshot p, unpublished_change u limit 0"

/** How long a stop waits for Kafka. A change that is not published by then is claimed again when its lease ends. */
const changesStopMs = 2_000

await runService({
  name: "sync-scheduler",
  variables: schedulerVariables,
  checks: ["kafka", "postgres"],
  async start({ config, log, lifecycle, readiness, metrics: registry, tracing }) {
    requireWindow(config)
    const { pool, retry } = await openDatabase(
      { config, log, lifecycle, readiness },
      { name: "sync-scheduler", newestColumns },
    )
    const retentionMs = config.RETENTION
    const retention = await startRetention({ pool, retentionMs, deleteBefore: deleteOldSyncs, log })
    lifecycle.onStop("retention", retention.close)

    const kafka = connectKafka({ ...kafkaOptions(config), clientId: "sync-scheduler", log })
    const { connectorTriggered, connectionChanged } = topicNames({
      prefix: config.TOPIC_PREFIX,
      retryDelaysMs: [],
    })
    await waitForKafka(
      { config, log, lifecycle },
      {
        broker: () => requireBroker(kafka),
        topics: () => requireTopics(kafka, [connectorTriggered, connectionChanged]),
      },
    )
    const producer = await startProducer({ kafka, deadlineMs: publishWithinMs })
    lifecycle.onStop("producer", (deadlineMs) => producer.close(Math.min(deadlineMs, changesStopMs)))

    const openEgress = (policy: PolicyOptions) => {
      const egress = createEgress({
        ...policy,
        userAgent: `${config.SERVICE_NAME}/1`,
        connectionsPerOrigin: config.SYNC_MAX_PER_HOST,
      })
      lifecycle.onStop("egress", egress.close)
      return egress
    }
    readiness.set("claims", true)
    const { ingest, syncs, hosts, changes } = wire({
      config,
      sql: pool.sql,
      retry,
      egress: {
        sources: openEgress(policyOf(config, config.PARTNER_ALLOWED_RANGES)),
        executors: openEgress({ allow: config.DELEGATE_ALLOWED_RANGES, allowHttp: true }),
      },
      producer,
      connectionChanged,
      lifecycle,
      readiness,
      metrics: createSchedulerMetrics(registry),
      tracing,
      log,
    })
    lifecycle.onStop("changes", () => Promise.race([changes.close(), sleep(changesStopMs)]))
    lifecycle.onStop("syncs", async (deadlineMs) => {
      const { drained } = await syncs.close(deadlineMs)
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
      onRecords: ingest.onRecords,
      onHealth: (healthy, why) => readiness.set("kafka", healthy, why),
    })
    lifecycle.onStop("consumer", (deadlineMs) => {
      // Until the consumer has left the group, nobody consumes its partitions.
      const waitMs = ingest.waitsForLocks() ? Math.min(deadlineMs, lockedStopMs) : deadlineMs
      return consumer.close(waitMs)
    })
    registerGauges(registry, {
      running: syncs.running,
      openBreakers: hosts.openBreakers,
      due: () => readDueSyncs(pool.sql, hosts.full()),
      oldestChangeSeconds: () => readOldestChange(pool.sql),
      lag: consumer.lag,
    })
  },
})
