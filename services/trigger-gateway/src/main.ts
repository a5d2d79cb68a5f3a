import { topicNames } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { connectKafka, requireBroker, requireTopics, startProducer } from "@sitewire/kafka"
import {
  databaseAccess,
  kafkaOptions,
  listen,
  runService,
  waitForDependency,
  waitForKafka,
  watchDependency,
} from "@sitewire/runtime"
import { gatewayVariables, requireTimeToDrain } from "./config.ts"
import { checkEveryMs, watchTopic } from "./health/watchTopic.ts"
import { drainServer } from "./http/drainServer.ts"
import { readTokenHashes } from "./trigger/processBatch.ts"
import { wire } from "./wire.ts"

const name = "trigger-gateway"

await runService({
  name,
  variables: gatewayVariables,
  checks: ["postgres", "kafka"],
  start: async ({ config, log, lifecycle, readiness, metrics: registry, tracing, announce }) => {
    requireTimeToDrain(config)
    const deadlineMs = config.GATEWAY_DEADLINE
    // At most half of the deadline, because opening a connection may take another quarter.
    const statementMs = Math.ceil(deadlineMs / 2)
    const pool = openPool({
      ...databaseAccess(config),
      size: config.DATABASE_POOL_SIZE,
      name,
      statementTimeoutMs: statementMs,
      connectTimeoutMs: Math.ceil(deadlineMs / 4),
    })
    lifecycle.onStop("postgres", () => pool.close())
    const kafka = connectKafka({ ...kafkaOptions(config), clientId: name, log })
    const { connectorTriggered: topic } = topicNames({ prefix: config.TOPIC_PREFIX, retryDelaysMs: [] })

    const checkPostgres = () => readTokenHashes(pool, [], statementMs)
    await Promise.all([
      waitForDependency({
        name: "Postgres",
        check: checkPostgres,
        remedy: "Start it, or correct DATABASE_URL; its migrations must have been applied.",
        ...{ deadlineMs: config.STARTUP_DEADLINE, log, signal: lifecycle.stopping },
      }),
      waitForKafka(
        { config, log, lifecycle },
        { broker: () => requireBroker(kafka, statementMs), topics: () => requireTopics(kafka, [topic]) },
      ),
    ])
    const producer = await startProducer({ kafka, lingerMs: 0, deadlineMs })
    lifecycle.onStop("producer", (leftMs) => producer.close(leftMs))

    readiness.set("postgres", true)
    const postgres = watchDependency({
      check: checkPostgres,
      onState: (available, why) => readiness.set("postgres", available, why),
      everyMs: checkEveryMs,
    })
    const kafkaTopic = await watchTopic({
      producer,
      topic,
      everyMs: checkEveryMs,
      withinMs: statementMs,
      readiness,
      log,
    })
    lifecycle.onStop("health checks", async () => {
      postgres.stop()
      kafkaTopic.stop()
    })

    const server = wire({
      limits: {
        maxWaiting: config.GATEWAY_MAX_WAITING,
        deadlineMs,
        maxConnections: config.GATEWAY_MAX_CONNECTIONS,
        keepAliveMs: config.GATEWAY_KEEP_ALIVE,
        headersTimeoutMs: config.GATEWAY_HEADERS_TIMEOUT,
        requestTimeoutMs: config.GATEWAY_REQUEST_TIMEOUT,
        inactivityMs: Math.max(config.GATEWAY_REQUEST_TIMEOUT, deadlineMs + 1_000),
      },
      topic,
      readHashes: (connections) => postgres.observe(readTokenHashes(pool, connections, statementMs)),
      publish: kafkaTopic.publish,
      isUnavailable: postgres.isUnavailable,
      unavailablePartitions: kafkaTopic.unavailablePartitions,
      registry,
      tracing,
      log,
      stopping: lifecycle.stopping,
    })
    const port = await listen(server, config.GATEWAY_HOST, config.GATEWAY_PORT, "GATEWAY_PORT")
    lifecycle.onStop("http", (leftMs) =>
      drainServer({
        server,
        delayMs: config.GATEWAY_DRAIN_DELAY,
        responseMs: deadlineMs,
        deadlineMs: leftMs,
      }),
    )
    announce({ gateway: `http://127.0.0.1:${port}` })
  },
})
