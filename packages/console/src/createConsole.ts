import { topicNames } from "@sitewire/contracts"
import { type Pool, withinTime } from "@sitewire/database"
import { openPrisma } from "@sitewire/database/prisma"
import { parsePolicy, policyOf } from "@sitewire/egress"
import { connectKafka } from "@sitewire/kafka"
import { kafkaOptions, repeatUntilClosed, type ServiceParts } from "@sitewire/runtime"
import { openApiDocument } from "./api/openapi/openApiDocument.ts"
import { routes } from "./api/routes.ts"
import { createApp } from "./api/server/createApp.ts"
import { serveHttp } from "./api/server/serveHttp.ts"
import type { consoleVariables } from "./config.ts"
import { startIncidents } from "./incidents/startIncidents.ts"
import { reconcileSources } from "./jobs/reconcile/reconcileSources.ts"
import { runJobs } from "./jobs/runJobs.ts"
import { startPublisher } from "./kafka/publisher.ts"
import { readTopicsOf } from "./kafka/readTopics.ts"
import { topicReaderOn } from "./kafka/topicReader.ts"
import { createRound } from "./mail/createRound.ts"
import { openMailer } from "./mail/openMailer.ts"
import { readProvider } from "./oidc/openIdProvider.ts"
import { defaultPageFolder } from "./page/servePage.ts"
import { deleteOldRecords, limitKeys } from "./retention/deleteOldRecords.ts"
import { consoleOrigin } from "./session/consoleOrigin.ts"
import { observeSiteUsage } from "./sites/siteUsage.ts"
import { minuteMs } from "./statistics/countMinute.ts"
import { countNextMinute } from "./statistics/countNextMinute.ts"
import { createChangeFeed } from "./stream/createChangeFeed.ts"

/** Most searches take some milliseconds, also among ten million deliveries: docs/measured.md. */
const searchWithinMs = 5_000

type Settings = Omit<ServiceParts<typeof consoleVariables>, "announce" | "tracing"> & {
  pool: Pool
  /** How often minutes are counted for the statistics, and incidents are looked for. */
  countIntervalMs?: number
  /** How long after its end a minute is counted. */
  countMarginMs?: number
}

/** Starts the management API and the jobs on a database that is ready. Returns the API's port. */
export async function createConsole(settings: Settings): Promise<{ port: number }> {
  const {
    config,
    log,
    lifecycle,
    readiness,
    metrics,
    pool,
    countIntervalMs = 10_000,
    countMarginMs,
  } = settings

  const kafka = connectKafka({ ...kafkaOptions(config), clientId: "sitewire-console", log })
  // Only replays, reconciliations and the list of invalid events need Kafka.
  let kafkaDownSince: Date | null = null
  const publisher = startPublisher({
    kafka,
    onState(reachable, why) {
      readiness.set("kafka", reachable, why)
      kafkaDownSince = reachable ? null : (kafkaDownSince ?? new Date())
    },
  })
  lifecycle.onStop("kafka", (deadlineMs) => publisher.close(deadlineMs))

  const topicPrefix = config.TOPIC_PREFIX
  const topics = topicNames({ prefix: topicPrefix, retryDelaysMs: config.RETRY_DELAYS })
  const invalidTopic = topicReaderOn({ kafka, topic: topics.sitePaidInvalid })
  const jobs = runJobs({
    pool,
    context: { sealingKeys: config.SEALING_KEYS, publish: publisher.publish, topics, invalidTopic },
    reconcileSources: reconcileSources({ kafka, topics, topicPrefix, retentionMs: config.RETENTION }),
    log,
  })
  lifecycle.onStop("jobs", () => jobs.close())

  function repeat(
    name: string,
    failed: string,
    intervalMs: number,
    step: (signal: AbortSignal) => Promise<void>,
  ): void {
    const repeating = repeatUntilClosed({
      step,
      intervalMs,
      failed: `${failed}; the console tries again`,
      log,
    })
    lifecycle.onStop(name, () => repeating.close())
  }

  repeat("retention", "old records could not be deleted", 10 * minuteMs, async (signal) => {
    await deleteOldRecords(pool.sql, config.AUDIT_RETENTION, signal)
    if (config.API_KEY_MAX_AGE !== undefined) await limitKeys(pool.sql, config.API_KEY_MAX_AGE)
  })
  repeat("statistics", "statistics could not be counted", countIntervalMs, async (signal) => {
    while (!signal.aborted && (await countNextMinute(pool, countMarginMs)) === "counted");
  })

  const readTopics = readTopicsOf({
    kafka,
    prefix: topicPrefix,
    retryDelaysMs: config.RETRY_DELAYS,
    retryPeriodMs: config.RETRY_PERIOD,
  })
  const incidents = startIncidents({
    pool,
    kafka: { readTopics, invalid: invalidTopic, prefix: topicPrefix, downSince: () => kafkaDownSince },
    intervalMs: countIntervalMs,
    log,
  })
  lifecycle.onStop("incidents", () => incidents.close())

  const mailer = openMailer(config)
  if (mailer) {
    const round = createRound({
      mailer,
      operators: config.OPERATOR_EMAILS,
      sql: pool.sql,
      retryPeriodMs: config.RETRY_PERIOD,
      afterMs: config.CONTACT_MAIL_AFTER,
      origin: config.CONSOLE_ORIGIN,
      metrics,
      log,
    })
    repeat("e-mails", "e-mails could not be prepared or recorded", countIntervalMs, round)
  }

  const limits = { connections: config.SITE_MAX_CONNECTIONS, bytes: config.SITE_MAX_BYTES }
  const observeSites = observeSiteUsage({ sql: pool.sql, limits, metrics })
  repeat("site usage", "the usage of sites could not be read", 5 * minuteMs, observeSites)

  const prisma = openPrisma(pool)
  lifecycle.onStop("prisma", () => prisma.$disconnect())
  const changes = createChangeFeed({ sql: pool.sql, log, metrics })
  const handler = createApp({
    routes,
    context: {
      prisma,
      sql: pool.sql,
      search: (read) => withinTime(pool, searchWithinMs, read),
      sealingKeys: config.SEALING_KEYS,
      operatorsPolicy: parsePolicy(policyOf(config, config.ALLOWED_RANGES)),
      partnersPolicy: parsePolicy(policyOf(config, config.PARTNER_ALLOWED_RANGES)),
      executorPolicy: parsePolicy({ allow: config.DELEGATE_ALLOWED_RANGES, allowHttp: true }),
      gatewayOrigin: config.GATEWAY_ORIGIN,
      signInWithKey: config.SIGN_IN_WITH_KEY,
      keyMaxAgeMs: config.API_KEY_MAX_AGE,
      consoleOrigin: consoleOrigin({ configured: config.CONSOLE_ORIGIN, port: config.CONSOLE_PORT }),
      invalidTopic,
      topicPrefix,
      siteMaxConnections: config.SITE_MAX_CONNECTIONS,
      sendsMail: mailer !== null,
      retryPeriodMs: config.RETRY_PERIOD,
      changes,
      readTopics,
      deliveryRetentionMs: config.RETENTION,
      openApiDocument: openApiDocument(),
    },
    rate: {
      requestsPerMinute: config.API_REQUESTS_PER_MINUTE,
      partnerRequestsPerMinute: config.API_PARTNER_REQUESTS_PER_MINUTE,
    },
    mostExpensive: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE / 2)),
    provider: readProvider(config),
    sessionLimits: { maxAgeMs: config.SESSION_MAX_AGE, idleMs: config.SESSION_IDLE },
    trustedProxies: config.TRUSTED_PROXIES,
    pageFolder: config.CONSOLE_WEB_FOLDER ?? defaultPageFolder,
    log,
    metrics,
  })
  const { CONSOLE_HOST: host, CONSOLE_PORT: port } = config
  const http = await serveHttp({ handler, host, port, variable: "CONSOLE_PORT" })
  lifecycle.onStop("http", (deadlineMs) => http.close(deadlineMs))
  // Closed before the listener, which waits for the end of all responses.
  lifecycle.onStop("streams", () => changes.close())
  return { port: http.port }
}
