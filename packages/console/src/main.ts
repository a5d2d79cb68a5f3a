import { topicNames } from "@sitewire/contracts"
import { openPool, watchDatabase } from "@sitewire/database"
import { openPrisma } from "@sitewire/database/prisma"
import { parsePolicy } from "@sitewire/egress"
import { connectKafka } from "@sitewire/kafka"
import { kafkaOptions, runService, waitForDependency } from "@sitewire/runtime"
import { createApp } from "./createApp.ts"
import { openInvalidTopic } from "./jobs/openInvalidTopic.ts"
import { runJobs } from "./jobs/runJobs.ts"
import { openApiDocument } from "./openApiDocument.ts"
import { startPublisher } from "./publisher.ts"
import { routes } from "./routes/index.ts"
import { serveHttp } from "./serveHttp.ts"
import { consoleVariables } from "./variables.ts"

await runService({
  name: "console",
  variables: consoleVariables,
  checks: ["postgres"],
  // Unready, it could not be reached while Kafka is away, and that is when channels are looked at and paused.
  optionalChecks: ["kafka"],
  async start({ config, log, lifecycle, readiness, metrics, announce }) {
    const pool = openPool({
      url: config.DATABASE_URL,
      size: config.DATABASE_POOL_SIZE,
      name: "sitewire-console",
    })
    lifecycle.onStop("postgres", () => pool.close())
    await waitForDependency({
      name: "Postgres",
      check: () => pool.sql("select 1 from job limit 0"),
      deadlineMs: config.STARTUP_DEADLINE,
      remedy: "Start it, or correct DATABASE_URL; its migrations must have been applied.",
      log,
      signal: lifecycle.stopping,
    })
    readiness.set("postgres", true)
    const stopWatching = watchDatabase({
      sql: pool.sql,
      onState: (up, why) => readiness.set("postgres", up, why),
    })
    lifecycle.onStop("watch", async () => stopWatching())

    // Not waited for: only replays and the list of invalid events need it.
    const kafka = connectKafka({ ...kafkaOptions(config), clientId: "sitewire-console", log })
    const publisher = startPublisher({
      kafka,
      log,
      onState: (up, why) => readiness.set("kafka", up, why),
    })
    lifecycle.onStop("kafka", (deadlineMs) => publisher.close(deadlineMs))

    const topics = topicNames({ prefix: config.TOPIC_PREFIX, retryDelaysMs: [] })
    const topicPrefix = config.TOPIC_PREFIX
    const invalid = openInvalidTopic({ kafka, topic: topics.sitePaidInvalid, topicPrefix })
    const jobs = runJobs({ pool, parts: { publish: publisher.publish, topics, invalid }, log })
    lifecycle.onStop("jobs", () => jobs.close())

    const prisma = openPrisma(pool)
    lifecycle.onStop("prisma", () => prisma.$disconnect())
    const handler = createApp({
      routes,
      parts: {
        prisma,
        sealingKeys: config.SEALING_KEYS,
        addressPolicy: parsePolicy({ allow: config.ALLOWED_RANGES, allowHttp: config.ALLOW_HTTP }),
        executorPolicy: parsePolicy({ allow: config.DELEGATE_ALLOWED_RANGES, allowHttp: true }),
        gatewayOrigin: config.GATEWAY_ORIGIN,
        sql: pool.sql,
        invalid,
        topicPrefix,
        document: openApiDocument(),
      },
      log,
      metrics,
    })
    const { CONSOLE_HOST: host, CONSOLE_PORT: port } = config
    const http = await serveHttp({ handler, host, port, variable: "CONSOLE_PORT" })
    lifecycle.onStop("http", (deadlineMs) => http.close(deadlineMs))
    announce({ console: `http://127.0.0.1:${http.port}` })
  },
})
