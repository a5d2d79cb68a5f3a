import { randomBytes } from "node:crypto"
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type BackingOptions,
  type StartedBackingService,
  startKafka,
  startKafkaCluster,
  startPostgres,
} from "@sitewire/backing"
import { topicNames } from "@sitewire/contracts"
import { openPool, type Sql } from "@sitewire/database"
import { connectKafka, startProducer } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { prepare } from "@sitewire/setup"
import { startProcess } from "@sitewire/testkit"
import { patiently } from "./patiently.ts"
import { type Member, startMember } from "./startMember.ts"

const stateFolder = fileURLToPath(new URL("../../../.sitewire", import.meta.url))

/**
 * Postgres and Kafka of the run's own, which faults stop and start, and the processes on them. Data is
 * written with fsync, because Postgres is killed.
 */
export async function startInstallation(settings: {
  retryDelaysMs: readonly number[]
  /** Postgres's data are to be in `directory`/postgres/data, and so not in Docker. */
  localPostgres?: boolean
  /** 1, or 3 and more: of two only one may be stopped. */
  brokers: number
  progress: (line: string) => void
  onExit: (name: string, code: number | null) => void
}) {
  const { retryDelaysMs, localPostgres = false, progress, onExit } = settings
  await mkdir(stateFolder, { recursive: true })
  const directory = await mkdtemp(join(stateFolder, "chaos-"))
  const log = createLogger({ service: "chaos", level: "silent" })
  const options = { directory, durability: "kept", progress } as const
  // An address in the environment is somebody else's: what is stopped here must be our own.
  const { DATABASE_URL: _, KAFKA_BROKERS: __, ...env } = process.env
  const [postgres, kafka] = await Promise.all([
    startPostgres({ ...options, env: localPostgres ? { ...env, BACKING_SERVICES: "local" } : env }),
    startBrokers(settings.brokers, { ...options, env }),
  ])
  if (postgres.kind === "given") throw new Error("a backing of somebody else's")
  const brokers = kafka.brokers.map(({ address }) => address)
  /** The setup job. */
  const setUp = (retryDelaysMs: readonly number[]) =>
    prepare({
      databaseUrl: postgres.address,
      kafka: { brokers },
      topicPrefix: "",
      replication: Math.min(3, brokers.length),
      retryDelaysMs,
      retryPeriodMs: 3_600_000,
      deadlineMs: 30_000,
      log,
    })
  await setUp(retryDelaysMs)
  const pool = openPool({ url: postgres.address, size: 4, name: "chaos" })
  const connection = connectKafka({ brokers, clientId: "chaos", log })
  const producer = await startProducer({ kafka: connection, deadlineMs: 10_000 })
  const members: Member[] = []
  const helpers: { end(signal?: NodeJS.Signals): Promise<unknown> }[] = []

  return {
    directory,
    sealingKeys: `k1:${randomBytes(32).toString("base64")}`,
    /** Retries while Postgres is unavailable. */
    sql: ((text, values, name) => patiently(() => pool.sql(text, values, name))) as Sql,
    pool,
    setUp,
    names: topicNames({ prefix: "", retryDelaysMs }),
    kafkaConnection: connection,
    producer,
    postgres,
    /** Of Kafka: the only one, or those of a cluster. */
    brokers: kafka.brokers,
    /** `env` is asked for at each start. */
    member(name: string, main: string, env: () => Record<string, string>): Member {
      const shared = {
        DATABASE_URL: postgres.address,
        KAFKA_BROKERS: brokers.join(","),
        LOG_LEVEL: "info",
        // Before the launcher gives up waiting, so that no process is left half started.
        STARTUP_DEADLINE: "45s",
      }
      const launch = () => startProcess(main, { ...shared, ...env() })
      const member = startMember({ name, launch, logFile: join(directory, `${name}.log`), onExit })
      members.push(member)
      return member
    },
    /** A process that no fault touches. */
    async helper(main: string, env: Record<string, string>) {
      const started = await startProcess(main, env)
      helpers.push(started)
      return started
    },
    /** `keepLogs`: what the processes wrote stays, for whoever looks for the reason. */
    async stop({ keepLogs }: { keepLogs: boolean }): Promise<void> {
      await Promise.all(members.map((member) => member.kill()))
      await Promise.all(helpers.map((helper) => helper.end("SIGKILL")))
      await producer.close(1_000)
      await pool.close()
      await Promise.all([postgres.stop(), kafka.stop()])
      if (keepLogs) {
        await rm(join(directory, "postgres"), { recursive: true, force: true })
        for (const name of await readdir(directory))
          if (name.startsWith("kafka")) await rm(join(directory, name), { recursive: true, force: true })
        progress(`the logs of all processes are in ${directory}`)
      } else await rm(directory, { recursive: true, force: true })
    },
  }
}

async function startBrokers(
  count: number,
  options: Pick<BackingOptions, "directory" | "durability" | "env" | "progress">,
): Promise<{ brokers: StartedBackingService[]; stop(): Promise<void> }> {
  const jars = join(stateFolder, "jars")
  if (count > 1) return startKafkaCluster({ ...options, jars, brokers: count })
  const kafka = await startKafka({ ...options, jars })
  if (kafka.kind === "given") throw new Error("a backing of somebody else's")
  return { brokers: [kafka], stop: kafka.stop }
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>
