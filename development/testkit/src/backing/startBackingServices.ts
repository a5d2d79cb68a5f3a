import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { clearFolder } from "./claimFolder.ts"
import { removeVolume } from "./docker.ts"
import type { ClientLogin } from "./local/startLocalKafka.ts"
import { startKafka } from "./startKafka.ts"
import { startKafkaCluster } from "./startKafkaCluster.ts"
import { startPostgres } from "./startPostgres.ts"
import { type BackingOptions, type BackingService, type LocalService, startedHere } from "./types.ts"

export type BackingServices<Service = BackingService> = {
  postgres: Service
  /** One service for each broker that was started. All brokers of KAFKA_BROKERS are one service. */
  kafka: Service[]
  databaseUrl: string
  brokers: string[]
  stop(): Promise<void>
}

/** Starts Postgres and a Kafka, or uses those that DATABASE_URL and KAFKA_BROKERS name. */
export function startBackingServices(
  options: Omit<BackingOptions, "port"> & {
    ports?: { postgres?: number; kafka?: number }
    jars: string
  },
): Promise<BackingServices> {
  const { ports = {}, progress } = options
  const kafka = startKafka({ ...options, port: ports.kafka })
  return startBoth(
    progress,
    startPostgres({ ...options, port: ports.postgres }),
    kafka.then((broker) => ({ brokers: [broker], stop: () => broker.stop() })),
  )
}

export type OwnBackingServices = Omit<BackingServices<LocalService>, "stop"> & {
  /** The folder of the services' data. The caller may write other files there. */
  directory: string
  /** Stops the services and removes `directory`, or, with `keepFiles`, only the services' data. */
  stop(options?: { keepFiles?: boolean }): Promise<void>
}

/**
 * Starts a Postgres and Kafka brokers as processes of this machine that the caller may stop and kill, never those that the
 * environment names. Their data is in a new folder `<parent>/<name>-…`, and is written with fsync, as in production.
 */
export async function startOwnBackingServices(options: {
  parent: string
  name: string
  jars: string
  /** Several brokers form a cluster. */
  brokerCount: number
  /** With several brokers: the version of each, by its number from 1, read at each start. */
  kafkaVersion?: ((broker: number) => string) | undefined
  /** How clients log in to Kafka. Undefined: without a login. */
  kafkaLogin?: ClientLogin | undefined
  progress: BackingOptions["progress"]
}): Promise<OwnBackingServices> {
  const { parent, name, brokerCount, kafkaLogin, progress } = options
  await mkdir(parent, { recursive: true })
  const directory = await mkdtemp(join(parent, `${name}-`))
  const { DATABASE_URL: _, KAFKA_BROKERS: __, ...environment } = process.env
  const env = { ...environment, BACKING_SERVICES: "local" }
  const own = { ...options, directory, env, durability: "persistent" } as const
  const startBrokers = async () => {
    if (brokerCount > 1 || kafkaLogin)
      return startKafkaCluster({ ...own, brokers: brokerCount, ...(kafkaLogin && { login: kafkaLogin }) })
    const broker = startedHere(await startKafka(own))
    return { brokers: [broker], stop: () => broker.stop() }
  }
  const removeAll = () => rm(directory, { recursive: true, force: true })
  try {
    const services = await startBoth(progress, startPostgres(own).then(startedHere), startBrokers())
    return {
      ...services,
      directory,
      async stop({ keepFiles = false } = {}) {
        await services.stop()
        if (!keepFiles) return removeAll()
        for (const file of await readdir(directory))
          if (/^(postgres|kafka)/.test(file)) await rm(join(directory, file), { recursive: true })
      },
    }
  } catch (error) {
    await removeAll()
    throw error
  }
}

/** If one fails to start, the other is stopped. */
async function startBoth<Service extends BackingService>(
  progress: BackingOptions["progress"],
  startingPostgres: Promise<Service>,
  startingKafka: Promise<{ brokers: Service[]; stop(): Promise<void> }>,
): Promise<BackingServices<Service>> {
  const report = (name: string) => (service: BackingService) =>
    progress(`${name} is ready (${service.kind === "given" ? "from the environment" : service.kind})`)
  void startingPostgres.then(report("Postgres"), () => {})
  void startingKafka.then(
    ({ brokers }) => brokers.forEach(report("Kafka")),
    () => {},
  )
  const starting = [startingPostgres, startingKafka] as const
  const outcomes = await Promise.allSettled(starting)
  const stop = async () => {
    await Promise.all(outcomes.map((outcome) => outcome.status === "fulfilled" && outcome.value.stop()))
  }
  try {
    const [postgres, { brokers: kafka }] = await Promise.all(starting)
    const brokers = kafka.flatMap(({ address }) => address.split(","))
    return { postgres, kafka, databaseUrl: postgres.address, brokers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Removes the data and Docker volumes of persistent services in `directory`, and stops servers that killed
 * runs left. Throws if a running process uses the data.
 */
export async function removeBackingData({
  directory,
  progress,
}: Pick<BackingOptions, "directory" | "progress">) {
  for (const service of ["postgres", "kafka"] as const) {
    const volume = await readFile(join(directory, service, "volume"), "utf8").catch(() => undefined)
    await clearFolder(directory, { service, progress })
    if (volume) await removeVolume(volume).catch((error: Error) => progress(error.message))
  }
}
