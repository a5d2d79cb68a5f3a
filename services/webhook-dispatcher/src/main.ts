import { randomBytes } from "node:crypto"
import { type TopicNames, topicNames } from "@sitewire/contracts"
import { isUnavailable, openPool, type Pool, readDigestKey, startRetention } from "@sitewire/database"
import * as deliveries from "@sitewire/deliveries"
import { createEgress, type PolicyOptions, policyOf } from "@sitewire/egress"
import { connectKafka, requireBroker, requireTopics, startProducer } from "@sitewire/kafka"
import {
  connectPostgres,
  databaseAccess,
  kafkaOptions,
  type RetryStatement,
  retryStatements,
  runService,
  type ServiceParts,
  waitForKafka,
} from "@sitewire/runtime"
import { runChecks } from "./check/runChecks.ts"
import { dispatcherVariables } from "./config.ts"
import { createPublish } from "./createPublish.ts"
import { createDispatcherMetrics, registerGauges } from "./metrics.ts"
import { checkNewestSecret, createChannelOpener } from "./send/secrets.ts"
import { createSendRequest, type EgressOf } from "./send/sendRequest.ts"
import { createConsumers } from "./source/createConsumers.ts"
import { startReportingCertificates } from "./status/startReportingCertificates.ts"
import { startReportingStatus } from "./status/startReportingStatus.ts"
import { wire } from "./wire.ts"

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
    statusMs: 5_000,
    certificatesMs: 5_000,
    deletedChannelsMs: 5_000,
  },
): Promise<void> {
  const { config, log, lifecycle, readiness, metrics: registry, tracing } = service
  const topics = topicNames({ prefix: config.TOPIC_PREFIX, retryDelaysMs: config.RETRY_DELAYS })

  const { pool, retry } = await openDatabase(service)
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
  const deleteBefore = deliveries.deleteOldDeliveries
  const retention = await startRetention({ pool, retentionMs: config.RETENTION, deleteBefore, log })
  lifecycle.onStop("retention", retention.close)

  const { kafka, producer } = await openKafka(service, topics)
  const certificates = startReportingCertificates({
    sql: pool.sql,
    intervalMs: intervals.certificatesMs,
    log,
  })
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
    events: deliveries.createEventStore(pool.sql, config.SEALING_KEYS, {
      digestKey,
      publishOutcomes: config.PUBLISH_OUTCOMES,
    }),
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
    sql: pool.sql,
    dispatcher: id,
    statuses: dispatcher.statuses,
    onDeleted: dispatcher.forget,
    onRecovered: dispatcher.closeBreaker,
    intervalMs: intervals.statusMs,
    log,
  })
  lifecycle.onStop("status", status.close)
  const pollIntervalMs = intervals.checksMs
  const checks = runChecks({
    sql: pool.sql,
    retry,
    opener,
    send,
    serviceName,
    timeoutMs,
    pollIntervalMs,
    log,
  })
  lifecycle.onStop("checks of receivers", checks.close)
  const consumers = createConsumers(service, { kafka, topics, dispatcher })
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

async function openDatabase(service: Service): Promise<{
  pool: Pool
  retry: RetryStatement
}> {
  const { config, lifecycle, readiness } = service
  const pool = openPool({
    ...databaseAccess(config),
    size: config.DATABASE_POOL_SIZE,
    name: "webhook-dispatcher",
    // Leases outlast two statements, and after a kill, what was claimed waits for the end of its lease.
    statementTimeoutMs: 10_000,
  })
  await connectPostgres({ ...service, pool, newestColumns, check: "postgres connection" })

  const retry = retryStatements({
    isTransient: isUnavailable,
    signal: lifecycle.expiring,
    onState: (working, why) => readiness.set("postgres", working, why),
  })
  return { pool, retry }
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

if (import.meta.main)
  await runService({
    name: "webhook-dispatcher",
    variables: dispatcherVariables,
    checks: ["postgres"],
    start,
  })
