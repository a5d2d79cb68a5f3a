import { topicNames } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { connectKafka, requireTopics, startProducer } from "@sitewire/kafka"
import { kafkaOptions, listen, runService, waitForDependency } from "@sitewire/runtime"
import { askBroker } from "./askBroker.ts"
import { createApp } from "./createApp.ts"
import { createGatewayServer } from "./createGatewayServer.ts"
import { drain } from "./drain.ts"
import { gatherTriggers } from "./gatherTriggers.ts"
import { logTriggered } from "./logTriggered.ts"
import { createMeasures } from "./measures.ts"
import { readTokenHashes } from "./readTokenHashes.ts"
import { createTakeBatch } from "./takeBatch.ts"
import { gatewayVariables } from "./variables.ts"
import { watchPart } from "./watchPart.ts"
import { watchProducer } from "./watchProducer.ts"

const name = "trigger-gateway"

/** Long enough to share statements and requests, short enough not to be felt. */
const lingerMs = 3
/** While some batches wait for Postgres and Kafka, this process reads and answers others: two large ones left it idle. */
const maxBatch = 256
const maxRunning = 4
const probeEveryMs = 1_000

await runService({
  name,
  variables: gatewayVariables,
  checks: ["postgres", "kafka"],
  start: async ({ config, log, lifecycle, readiness, metrics, announce }) => {
    const deadlineMs = config.GATEWAY_DEADLINE
    // A new connection and a statement together must fit into the deadline.
    const databaseMs = Math.ceil(deadlineMs / 2)
    const pool = openPool(
      {
        url: config.DATABASE_URL,
        size: config.DATABASE_POOL_SIZE,
        name,
        statementTimeoutMs: databaseMs,
        connectTimeoutMs: Math.ceil(deadlineMs / 4),
      },
      (error) => log.warn({ error }, "an idle connection to Postgres broke"),
    )
    lifecycle.onStop("postgres", () => pool.close())
    const kafka = connectKafka({ ...kafkaOptions(config), clientId: name, log })
    const { connectorTriggered } = topicNames({ prefix: config.TOPIC_PREFIX, retryDelaysMs: [] })

    const askPostgres = () => readTokenHashes(pool, [], databaseMs)
    const waiting = { deadlineMs: config.STARTUP_DEADLINE, log, signal: lifecycle.stopping }
    await Promise.all([
      waitForDependency({
        ...waiting,
        name: "Postgres",
        check: askPostgres,
        remedy: "Start it, or correct DATABASE_URL; its migrations must have been applied.",
      }),
      waitForDependency({
        ...waiting,
        name: "Kafka",
        check: () => askBroker(kafka, databaseMs),
        remedy: "Start it, or correct KAFKA_BROKERS.",
      }),
    ])
    await waitForDependency({
      ...waiting,
      name: "Kafka's topics",
      check: () => requireTopics(kafka, [connectorTriggered]),
      remedy: "Run the setup job, with the same TOPIC_PREFIX.",
    })
    const producer = await startProducer({ kafka, lingerMs: 0, deadlineMs })
    lifecycle.onStop("producer", (leftMs) => producer.close(leftMs))

    const watching = { everyMs: probeEveryMs, readiness }
    const database = watchPart({ ...watching, part: "postgres", probe: askPostgres })
    const topic = connectorTriggered
    const broker = await watchProducer({ ...watching, producer, topic, withinMs: databaseMs, log })
    lifecycle.onStop("watches", async () => {
      database.stop()
      broker.stop()
    })

    const measures = createMeasures(metrics, {
      waiting: () => triggers.waiting(),
      unavailablePartitions: broker.unavailable,
    })
    const triggers = gatherTriggers({
      takeBatch: createTakeBatch({
        readHashes: (connections) => database.note(readTokenHashes(pool, connections, databaseMs)),
        publish: broker.publish,
        topic,
        measures,
        onPublished: (records) => logTriggered(log, records),
      }),
      isAway: () => database.away() || broker.away(),
      lingerMs,
      maxBatch,
      maxRunning,
      maxWaiting: config.GATEWAY_MAX_WAITING,
      deadlineMs,
    })

    const server = createGatewayServer(
      {
        maxConnections: config.GATEWAY_MAX_CONNECTIONS,
        keepAliveMs: config.GATEWAY_KEEP_ALIVE,
        // A header is a part of its request: Node refuses to give it longer.
        headersTimeoutMs: Math.min(config.GATEWAY_HEADERS_TIMEOUT, config.GATEWAY_REQUEST_TIMEOUT),
        requestTimeoutMs: config.GATEWAY_REQUEST_TIMEOUT,
        silenceMs: Math.max(config.GATEWAY_REQUEST_TIMEOUT, deadlineMs + 1_000),
      },
      createApp({ take: triggers.take, measures, log, stopping: lifecycle.stopping }),
    )
    const port = await listen(server, config.GATEWAY_HOST, config.GATEWAY_PORT, "GATEWAY_PORT")
    lifecycle.onStop("http", (leftMs) =>
      drain({ server, delayMs: config.GATEWAY_DRAIN_DELAY, answerMs: deadlineMs, deadlineMs: leftMs }),
    )
    announce({ gateway: `http://127.0.0.1:${port}` })
  },
})
