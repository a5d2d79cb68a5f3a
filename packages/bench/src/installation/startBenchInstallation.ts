import { randomBytes } from "node:crypto"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startKafka, startPostgres } from "@sitewire/backing"
import { defaultRetryDelays, formatDuration, parseDuration, topicNames } from "@sitewire/contracts"
import { openPool, readSealingKeys, seal, sealContexts } from "@sitewire/database"
import { connectKafka, type Outgoing, startProducer } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { type StartedProcess, startProcess } from "@sitewire/testkit"
import { cpuMs } from "../machine/processUsage.ts"
import { reuseLogSegments } from "./reuseLogSegments.ts"
import type { Services } from "./readCheckout.ts"

const stateFolder = fileURLToPath(new URL("../../../../.sitewire", import.meta.url))

/**
 * Postgres, Kafka and whatever a measure starts on them. Data is written with fsync, as in production. The retry topics
 * are made for `retryDelaysMs`, and the services are told the same.
 */
export async function startInstallation(
  services: Services,
  progress: (line: string) => void,
  retryDelaysMs: readonly number[] = defaultRetryDelays.map(parseDuration),
) {
  await mkdir(stateFolder, { recursive: true })
  const directory = await mkdtemp(join(stateFolder, "bench-"))
  const log = createLogger({ service: "bench", level: "error" })
  // Processes of our own, for their CPU time is counted: neither somebody else's nor in Docker.
  const { DATABASE_URL: _, KAFKA_BROKERS: __, ...ours } = process.env
  const env = { ...ours, BACKING_SERVICES: "local" }
  const options = { directory, env, durability: "kept", progress } as const
  const [postgres, kafka] = await Promise.all([
    startPostgres(options),
    startKafka({ ...options, jars: join(stateFolder, "jars") }),
  ])
  const brokers = kafka.address.split(",")
  const common = {
    KAFKA_BROKERS: kafka.address,
    RETRY_DELAYS: retryDelaysMs.map(formatDuration).join(","),
    LOG_LEVEL: "warn",
  }
  const shared = { ...common, DATABASE_URL: postgres.address }
  const sealingKeys = `k1:${randomBytes(32).toString("base64")}`
  /** What ends the installation, in the order in which it was started. */
  const ends: (() => Promise<unknown>)[] = [() => Promise.all([postgres.stop(), kafka.stop()])]
  async function stop(): Promise<void> {
    for (const end of ends.toReversed()) await end()
    await rm(directory, { recursive: true, force: true })
  }

  async function openDatabase(url: string) {
    await services.setUp({ ...common, DATABASE_URL: url, TOPIC_REPLICATION: "1" })
    const pool = openPool({ url, size: 2, name: "bench" })
    ends.push(pool.close)
    /** Makes the channel, or points it to another address. */
    async function channel(id: string, address: string): Promise<void> {
      const sealed = seal(
        readSealingKeys(sealingKeys),
        sealContexts.signingSecret(id, `sec_${id}`),
        "a secret of the bench",
      )
      await pool.sql(
        `insert into channel (id, address, secret_id, secret_sealed, updated_at) values ($1, $2, $3, $4, now())
         on conflict (id) do update set address = excluded.address`,
        [id, address, `sec_${id}`, sealed],
      )
    }
    return {
      url,
      sql: pool.sql,
      channel,
      /** Makes so many channels; returns their ids. */
      async channels(count: number, addressOf: (at: number) => string): Promise<string[]> {
        const ids = Array.from({ length: count }, (_, at) => `bench-${at}`)
        for (const [at, id] of ids.entries()) await channel(id, addressOf(at))
        return ids
      },
    }
  }

  async function open() {
    const database = await openDatabase(postgres.address)
    await reuseLogSegments(database.sql)
    const producer = await startProducer({ kafka: connectKafka({ brokers, clientId: "bench", log }) })
    ends.push(() => producer.close(1_000))
    return { database, producer }
  }
  const { database, producer } = await open().catch(async (error: unknown) => {
    // The next part must not run beside what this one has started.
    await stop()
    throw error
  })
  const started = async (starting: Promise<StartedProcess>) => {
    const process = await starting
    ends.push(() => process.end("SIGKILL"))
    return process
  }
  const start = (main: string, env: Record<string, string>) => started(services.start(main, env))
  const kafkaPid = "pid" in kafka ? (kafka.pid ?? 0) : 0
  const postgresPid = "pid" in postgres ? (postgres.pid ?? 0) : 0

  return {
    ...database,
    /** One more, with its tables, on the same Postgres. */
    async secondDatabase(name: string) {
      await database.sql(`create database ${name}`)
      const url = new URL(postgres.address)
      url.pathname = name
      return openDatabase(url.href)
    },
    names: topicNames({ prefix: "", retryDelaysMs }),
    brokers,
    log,
    /** CPU time in milliseconds that a dispatcher, the broker and the database have used so far. */
    cpuOf: ({ pid }: { pid: number }) => ({
      dispatcher: cpuMs(pid),
      postgres: cpuMs(postgresPid),
      broker: cpuMs(kafkaPid),
    }),
    /** Starts what belongs to the bench itself. */
    helper: (main: string, env: Record<string, string> = {}) => started(startProcess(main, env)),
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
    publish: (records: Outgoing[]) => producer.publish(records),
    stop,
  }
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>
export type Database = Awaited<ReturnType<Installation["secondDatabase"]>>
