import { randomBytes } from "node:crypto"
import { groupNames, type TopicNames, topicNames } from "@sitewire/contracts"
import { openDatabase, readDigestKey, startRetention } from "@sitewire/database"
import * as deliveries from "@sitewire/deliveries"
import { createEgress, type PolicyOptions, policyOf } from "@sitewire/egress"
import {
  type Consumer,
  connectKafka,
  type KafkaConnection,
  requireBroker,
  requireTopics,
  startConsumer,
  startProducer,
} from "@sitewire/kafka"
import { kafkaOptions, runService, type ServiceParts, waitForKafka } from "@sitewire/runtime"
import { runChecks } from "./check/runChecks.ts"
import { dispatcherVariables } from "./config.ts"
import { createPublish } from "./createPublish.ts"
import { createDispatcherMetrics, registerGauges } from "./metrics.ts"
import { checkNewestSecret, createChannelOpener } from "./send/secrets.ts"
import { createSendRequest, type EgressOf } from "./send/sendRequest.ts"
import { startReportingCertificates } from "./status/startReportingCertificates.ts"
import { startReportingStatus } from "./status/startReportingStatus.ts"
import { type Dispatcher, wire } from "./wire.ts"

type Service = ServiceParts<typeof dispatcherVariables>

const newestColumns =
  "select w.attempts, c.partner_may_change_address, e.event_id from waiting_delivery w, channel c, ended_delivery e limit 0"

/**
 * Opens what the process needs, and starts the stages. `intervals`: how often Postgres is polled and written to. Shorter ones
 * let tests wait less.
 */
export async function start(
  service: Service,
  intervals = {
    pollMs: 500,
    checksMs: 1_000,
    reportMs: 5_000,
  },
): Promise<void> {
  const { config, log, lifecycle, readiness, metrics: registry, tracing } = service
  const topics = topicNames({ prefix: config.TOPIC_PREFIX, retryDelaysMs: config.RETRY_DELAYS })

  const { pool, retry } = await openDatabase(service, { name: "webhook-dispatcher", newestColumns })
  // Never set back to true, because the keys of a process do not change.
  const opener = createChannelOpener(config.SEALING_KEYS, (why) => readiness.set("sealing keys", false, why))
  await checkNewestSecret({ sql: pool.sql, openSecret: opener.openSecret, log })
  const digestKey = await retry("read the key of digests", () =>
    readDigestKey(pool.sql, config.SEALING_KEYS),
  ).catch((error: unknown) => {
    log.error(
      { error },
      "deliveries are stored without digests of e-mail addresses, so erasures read their bodies",
    )
    return null
  })
  const erasures = deliveries.createErasureList({ sql: pool.sql, sealingKeys: config.SEALING_KEYS })
  const stored = { digestKey, publishOutcomes: config.PUBLISH_OUTCOMES }
  const deleteBefore = deliveries.deleteOldDeliveries
  const retention = await startRetention({ pool, retentionMs: config.RETENTION, deleteBefore, log })
  lifecycle.onStop("retention", retention.close)

  const { kafka, producer } = await openKafka(service, topics)
  const reporting = { sql: pool.sql, intervalMs: intervals.reportMs, log }
  const certificates = startReportingCertificates(reporting)
  lifecycle.onStop("certificates", certificates.close)
  const { SERVICE_NAME: serviceName, DELIVERY_TIMEOUT: timeoutMs } = config
  const egressOf = openEgress(service, certificates.onCertificate)
  const send = createSendRequest({ egressOf, opener, serviceName, timeoutMs })

  const dispatcher = wire({
    config,
    topics,
    intervals,
    longestStatementMs: pool.longestMs,
    sql: pool.sql,
    retry,
    events: {
      lookUp: (events) => deliveries.lookUpEvents(pool.sql, erasures, events),
      store: (batch) => deliveries.store(pool.sql, erasures, batch, stored),
    },
    statements: deliveries,
    publish: createPublish({
      producer,
      signal: lifecycle.expiring,
      onState: (working, why) => readiness.set("kafka producer", working, why),
      onTopic: (topic, working, why) => readiness.set(`kafka topic ${topic}`, working, why),
      log,
    }),
    send,
    onNetwork: (isUp, why) => readiness.set("network", isUp, why),
    metrics: createDispatcherMetrics(registry),
    tracing,
    expiring: lifecycle.expiring,
    log,
  })
  // No host name, because partners can read it in their channel's health.
  const id = `dsp_${randomBytes(6).toString("hex")}`
  log.info({ dispatcher: id }, "the dispatcher reports the state of its channels under this id")
  const status = startReportingStatus({
    ...reporting,
    dispatcher: id,
    statuses: dispatcher.statuses,
    onDeleted: dispatcher.forget,
    onRecovered: dispatcher.closeBreaker,
  })
  lifecycle.onStop("status", status.close)
  const pollIntervalMs = intervals.checksMs
  const checks = runChecks({
    ...{ sql: pool.sql, retry, opener, send, serviceName, timeoutMs, pollIntervalMs, log },
  })
  lifecycle.onStop("checks of receivers", checks.close)
  const consumers = createConsumers(service, kafka, topics, dispatcher)
  lifecycle.onStop("consumers", consumers.close)
  registerGauges(registry, {
    outstanding: consumers.outstanding,
    inFlight: () => dispatcher.counts().inFlight,
    breakersOpen: () => dispatcher.counts().open,
    lag: consumers.sitePaidLag,
    backlog: () => deliveries.readBacklogMetrics(pool.sql),
  })
  await consumers.start()
}

async function openKafka(service: Service, topics: TopicNames) {
  const { config, log, lifecycle } = service
  const kafka = connectKafka({ ...kafkaOptions(config), clientId: "webhook-dispatcher", log })
  const { sitePaid, sitePaidInvalid, dead, outcome, retry } = topics
  await waitForKafka(service, {
    broker: () => requireBroker(kafka),
    topics: () => requireTopics(kafka, [sitePaid, sitePaidInvalid, dead, outcome, ...retry]),
    variables: "TOPIC_PREFIX and RETRY_DELAYS",
  })
  const producer = await startProducer({ kafka })
  lifecycle.onStop("producer", producer.close)
  return { kafka, producer }
}

function openEgress(
  { config, lifecycle }: Service,
  onCertificate: (origin: string, expiresAt: Date) => void,
): EgressOf {
  const open = (policy: PolicyOptions) =>
    createEgress({
      ...policy,
      userAgent: `${config.SERVICE_NAME}/1`,
      // Never reached: new events, retries and claimed deliveries need MAX_OUTSTANDING_RECORDS each. Partners may share an
      // origin, so connections are limited per channel instead.
      connectionsPerOrigin: config.MAX_OUTSTANDING_RECORDS * 3,
      onCertificate,
    })
  const egress = open(policyOf(config, config.ALLOWED_RANGES))
  // Where partners aim requests themselves. With connections of its own: a name can have led to an operator's range.
  const partnersEgress = open(policyOf(config, config.PARTNER_ALLOWED_RANGES))
  lifecycle.onStop("egress", async () => {
    await Promise.all([egress.close(), partnersEgress.close()])
  })
  return (channel) => (channel.partner_may_change_address ? partnersEgress : egress)
}

/** How long recording an outcome takes at most while Postgres and Kafka are available. */
const recordWithinMs = 2_000

function createConsumers(
  { config, log, lifecycle, readiness }: Service,
  kafka: KafkaConnection,
  topics: TopicNames,
  dispatcher: Dispatcher,
) {
  const consumers = new Map<"retries" | "paid", Consumer>()
  let longestDrainMs = Number.POSITIVE_INFINITY

  async function consume(
    group: "paid" | "retries",
    consumed: { topic: string; delayMs?: number }[],
    handle: Dispatcher["handleSitePaid"],
  ): Promise<void> {
    const consumer = await startConsumer({
      kafka,
      group: groupNames(config.TOPIC_PREFIX)[group],
      topics: consumed,
      maxOutstanding: config.MAX_OUTSTANDING_RECORDS,
      // In larger fetches, records wait so long that they reach V8's old generation.
      fetchBytes: 64 * 1024,
      startDeadlineMs: config.STARTUP_DEADLINE,
      onRecords: (records, done) => void handle(records, done).catch(onUnfinished),
      onHealth: (healthy, why) => readiness.set(`kafka consumer ${group}`, healthy, why),
    })
    consumers.set(group, consumer)
  }

  function onUnfinished(error: unknown): void {
    if (lifecycle.stopping.aborted) {
      log.info("records are unfinished at the stop; the next process consumes them again")
      return
    }
    log.fatal({ error }, "a record could not be handled; the process stops, so that it is consumed again")
    // Closing would wait for the unfinished record. So wait only until the attempts in flight end and are recorded,
    // and for the 2 s that a consumer reserves to commit and to leave its group.
    longestDrainMs = config.DELIVERY_TIMEOUT + 2 * recordWithinMs
    void lifecycle.stop("a record could not be handled", 1)
  }

  return {
    async start(): Promise<void> {
      const retries = topics.retry.map((topic, step) => ({ topic, delayMs: config.RETRY_DELAYS[step] ?? 0 }))
      await consume("retries", retries, dispatcher.handleRetries)
      await consume("paid", [{ topic: topics.sitePaid }], dispatcher.handleSitePaid)
    },
    outstanding: () => [...consumers.values()].reduce((sum, consumer) => sum + consumer.outstanding(), 0),
    sitePaidLag: async () => consumers.get("paid")?.lag() ?? [],
    /** Closes all consumers at the same time, so that attempts that hang delay the stop only once. */
    close(deadlineMs: number): Promise<unknown> {
      const drainMs = Math.min(deadlineMs, longestDrainMs)
      const closing = [...consumers.values()].map((consumer) => consumer.close(drainMs))
      return Promise.all([dispatcher.close(drainMs), ...closing])
    },
  }
}

if (import.meta.main)
  await runService({
    name: "webhook-dispatcher",
    variables: dispatcherVariables,
    checks: ["postgres"],
    start,
  })
