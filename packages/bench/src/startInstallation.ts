import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startKafka, startPostgres } from "@sitewire/backing"
import { defaultRetryDelays, formatDuration, parseDuration, topicNames } from "@sitewire/contracts"
import { openPool, readSealingKeys, seal, sealContexts } from "@sitewire/database"
import { connectKafka, type Outgoing, startProducer } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { prepare } from "@sitewire/setup"
import { startProcess } from "@sitewire/testkit"
import { reuseLogSegments } from "./reuseLogSegments.ts"

const stateFolder = fileURLToPath(new URL("../../../.sitewire", import.meta.url))

/**
 * Postgres, Kafka and whatever a measure starts on them. Data is written with fsync, as in production. The retry topics
 * are made for `retryDelaysMs`, and the services are told the same.
 */
export async function startInstallation(
  progress: (line: string) => void,
  retryDelaysMs: readonly number[] = defaultRetryDelays.map(parseDuration),
) {
  const directory = await mkdtemp(join(stateFolder, "bench-"))
  const log = createLogger({ service: "bench", level: "error" })
  // Processes of our own, for their processor time is counted: neither somebody else's nor in Docker.
  const { DATABASE_URL: _, KAFKA_BROKERS: __, ...ours } = process.env
  const env = { ...ours, BACKING_SERVICES: "local" }
  const options = { directory, env, durability: "kept", progress } as const
  const [postgres, kafka] = await Promise.all([
    startPostgres(options),
    startKafka({ ...options, jars: join(stateFolder, "jars") }),
  ])
  const brokers = kafka.address.split(",")
  await prepare({
    databaseUrl: postgres.address,
    kafka: { brokers },
    topicPrefix: "",
    replication: 1,
    retryDelaysMs,
    retryPeriodMs: 21_600_000,
    deadlineMs: 30_000,
    log,
  })
  const pool = openPool({ url: postgres.address, size: 2, name: "bench" })
  await reuseLogSegments(pool.sql)
  const producer = await startProducer({ kafka: connectKafka({ brokers, clientId: "bench", log }) })
  const sealingKeys = `k1:${randomBytes(32).toString("base64")}`
  const processes: { end(signal?: NodeJS.Signals): Promise<unknown> }[] = []

  async function start(main: string, env: Record<string, string> = {}) {
    const started = await startProcess(main, env)
    processes.push(started)
    return started
  }

  const shared = {
    DATABASE_URL: postgres.address,
    KAFKA_BROKERS: kafka.address,
    RETRY_DELAYS: retryDelaysMs.map(formatDuration).join(","),
    LOG_LEVEL: "warn",
  }
  return {
    /** Goes with the installation. */
    directory,
    sql: pool.sql,
    databaseUrl: postgres.address,
    names: topicNames({ prefix: "", retryDelaysMs }),
    brokers,
    kafkaPid: "pid" in kafka ? (kafka.pid ?? 0) : 0,
    postgresPid: "pid" in postgres ? (postgres.pid ?? 0) : 0,
    log,
    start,
    dispatcher: (env: Record<string, string> = {}) =>
      start("services/webhook-dispatcher/src/main.ts", {
        ...shared,
        SEALING_KEYS: sealingKeys,
        ALLOW_HTTP: "true",
        ALLOWED_RANGES: "127.0.0.0/8",
        ...env,
      }),
    gateway: (env: Record<string, string> = {}) =>
      start("services/trigger-gateway/src/main.ts", {
        ...shared,
        GATEWAY_HOST: "127.0.0.1",
        GATEWAY_PORT: "0",
        GATEWAY_DRAIN_DELAY: "0ms",
        ...env,
      }),
    scheduler: (main: string, env: Record<string, string> = {}) => start(main, { ...shared, ...env }),
    async channels(count: number, addressOf: (at: number) => string): Promise<void> {
      const keys = readSealingKeys(sealingKeys)
      for (let at = 0; at < count; at++) {
        const id = `bench-${at}`
        const sealed = seal(keys, sealContexts.signingSecret(id, `sec_${id}`), "a secret of the bench")
        await pool.sql(
          `insert into channel (id, address, secret_id, secret_sealed, updated_at) values ($1, $2, $3, $4, now())
           on conflict (id) do update set address = excluded.address`,
          [id, addressOf(at), `sec_${id}`, sealed],
        )
      }
    },
    publish: (records: Outgoing[]) => producer.publish(records),
    async stop() {
      for (const started of processes) await started.end("SIGKILL")
      await producer.close(1_000)
      await pool.close()
      await Promise.all([postgres.stop(), kafka.stop()])
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>
