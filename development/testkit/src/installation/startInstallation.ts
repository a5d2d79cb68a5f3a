import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { defaultRetryDelays, formatDuration, parseDuration, topicNames } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { connectKafka, type PasswordLogin } from "@sitewire/kafka"
import { readyWithinMs } from "../deadlines.ts"
import { addChannel } from "./data/addChannel.ts"
import { addConnections } from "./data/addConnections.ts"
import { createTopicClients } from "./data/topics.ts"
import type { Checkout } from "./process/checkout.ts"
import { runScript, type StartedProcess, startProcess } from "./process/startProcess.ts"
import { type ProcessEvent, type SupervisedProcess, supervise } from "./process/supervise.ts"
import { type ServiceName, services, variablesOf } from "./services.ts"
import { silentLog } from "./silentLog.ts"

export type InstallationBacking = {
  databaseUrl: string
  brokers: readonly string[]
  topicPrefix: string
  /** The account at Kafka of the setup job, of the installation's own clients, and of services without another. */
  kafkaLogin?: PasswordLogin | undefined
  /**
   * How many brokers store each topic. Null: migrations and topics exist already, and the setup job does not
   * run.
   */
  replication: number | null
  stop(): Promise<unknown>
}

export type InstallationOptions = {
  backing: InstallationBacking
  retryDelaysMs?: readonly number[]
  env?: Record<string, string>
  /** The value of SEALING_KEYS. By default, a new key. */
  sealingKeys?: string
  checkout?: Checkout
  logsFolder?: string
  ownProcessGroup?: boolean
}

const setupDeadline = `${readyWithinMs}ms`

/**
 * Runs the setup job. The caller then starts services, as processes with the Node arguments of the images.
 * Not in development/testkit, because `npm start` and `npm run demo` use it too.
 */
export async function startInstallation(options: InstallationOptions) {
  const { backing, env = {}, checkout, logsFolder, ownProcessGroup = false } = options
  const { databaseUrl, brokers, topicPrefix, kafkaLogin: login } = backing
  const retryDelaysMs = options.retryDelaysMs ?? defaultRetryDelays.map(parseDuration)
  const sealingKeys = options.sealingKeys ?? `k1:${randomBytes(32).toString("base64")}`
  const shared = {
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: brokers.join(","),
    TOPIC_PREFIX: topicPrefix,
    RETRY_DELAYS: retryDelaysMs.map(formatDuration).join(","),
    ...(login && {
      KAFKA_USERNAME: login.username,
      KAFKA_PASSWORD: login.password,
      KAFKA_SASL_MECHANISM: login.mechanism,
    }),
  }
  const pool = openPool({ url: databaseUrl, size: 4, name: "installation" })
  const kafka = connectKafka({
    brokers: [...brokers],
    clientId: "installation",
    log: silentLog,
    ...(login && { login }),
  })
  const topics = createTopicClients(kafka, `${topicPrefix}installation-`)
  const processes: StartedProcess[] = []
  const supervised: SupervisedProcess[] = []
  const ownCode = checkout === undefined ? {} : { checkout }

  async function setUp(overrides: Record<string, string> = {}, other?: Checkout): Promise<void> {
    const job = { TOPIC_REPLICATION: String(backing.replication ?? 1), STARTUP_DEADLINE: setupDeadline }
    const code = other === undefined ? ownCode : { checkout: other }
    await runScript(
      "packages/database/src/setup/main.ts",
      [],
      { ...shared, ...job, ...env, ...overrides },
      code,
    )
  }

  const variables = (service: ServiceName) => ({
    ...shared,
    ...variablesOf(service, sealingKeys),
    ...env,
  })

  async function startFile(main: string, own: Record<string, string>): Promise<StartedProcess> {
    const started = await startProcess(main, own, { ...ownCode, ownProcessGroup })
    processes.push(started)
    return started
  }

  const start = (service: ServiceName, overrides: Record<string, string> = {}) =>
    startFile(services[service].main, { ...variables(service), ...overrides })

  /**
   * Returns a process that the caller starts. It is restarted when it ends without being stopped by the
   * caller. `env` is called at each start.
   */
  function superviseFile(settings: {
    name: string
    main: string
    env: () => Record<string, string>
    /**
     * The variable of each port and the name of its address. A restarted process gets the same ports again.
     */
    ports?: Record<string, string>
    /** The checkout whose code runs, if it is not that of the installation. */
    checkout?: Checkout | undefined
    restartAfterMs: number
    retryAfterMs: number
    onEvent: (event: ProcessEvent) => void
  }): SupervisedProcess {
    const { name, main, ports = {} } = settings
    const code = settings.checkout === undefined ? ownCode : { checkout: settings.checkout }
    const logFile = logsFolder === undefined ? undefined : join(logsFolder, `${name}.log`)
    let chosen: Record<string, string> = {}
    const launch = async (signal: AbortSignal) => {
      const own = { ...settings.env(), ...chosen }
      const started = await startProcess(main, own, { name, ...code, logFile, ownProcessGroup, signal })
      chosen = Object.fromEntries(
        Object.entries(ports).map(([variable, address]) => [variable, portOf(started.addresses[address])]),
      )
      return started
    }
    const process = supervise({ ...settings, launch })
    supervised.push(process)
    return process
  }

  /**
   * Ends services, clients, Postgres and Kafka in this order. Returns the services' exit codes; null after a
   * kill.
   */
  async function stop(how: NodeJS.Signals = "SIGKILL", killAfterMs?: number): Promise<(number | null)[]> {
    const codes = await Promise.all([
      ...processes.map((process) => process.end(how, killAfterMs)),
      ...supervised.map((process) => (how === "SIGKILL" ? process.kill() : process.end(killAfterMs))),
    ])
    await topics.close()
    await pool.close()
    await backing.stop()
    return codes.map((code) => code ?? null)
  }

  if (backing.replication !== null) {
    await setUp().catch(async (error: unknown) => {
      await stop()
      throw error
    })
  }
  return {
    databaseUrl,
    brokers,
    topicPrefix,
    sealingKeys,
    names: topicNames({ prefix: topicPrefix, retryDelaysMs }),
    pool,
    sql: pool.sql,
    kafka,
    publish: topics.publish,
    readTopic: topics.read,
    followTopic: topics.follow,
    addChannel: (channel: { id: string; address: string; secret: string }) =>
      addChannel({ sql: pool.sql, sealingKeys }, channel),
    addConnections: (connections: readonly { id: string; source: string }[]) =>
      addConnections({ sql: pool.sql, sealingKeys }, connections),
    setUp,
    variables,
    start,
    startFile,
    superviseFile,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>

function portOf(url: string | undefined): string {
  return new URL(url ?? "").port
}
