import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { formatDuration } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { KafkaOptions } from "@sitewire/kafka"
import { type ClientLogin, startOwnBackingServices } from "@sitewire/testkit/backing"
import {
  type Checkout,
  type ServiceName,
  type StartedProcess,
  type SupervisedProcess,
  services,
  startInstallation,
  startProcess,
} from "@sitewire/testkit/installation"
import type { Fault } from "./faults/driveFaults.ts"
import { retryForTwoMinutes } from "./retryForTwoMinutes.ts"

const stateFolder = fileURLToPath(new URL("../../../../../.sitewire", import.meta.url))

/** An installation with its own Postgres and Kafka, which faults stop and start like the services. */
export async function startChaosInstallation(settings: {
  retryDelaysMs: readonly number[]
  /** If true, Postgres is a process of this machine, with its data in `directory`/postgres/data. */
  withoutDocker?: boolean
  /** 1, or 3 or more. Two brokers would have only one controller, which could not be stopped. */
  brokerCount: number
  progress: (line: string) => void
  /** A service that ends although nobody asked it to is added here, as a fault of the kind `exit`. */
  faults: Fault[]
  /** The code of the services and of the setup job, if it is not this checkout's. */
  checkout?: Checkout
  kafkaVersion?: (broker: number) => string
  /** How clients log in to Kafka, and the account of the setup job and the installation's own clients. */
  kafkaLogin?: { broker: ClientLogin; account: NonNullable<KafkaOptions["login"]> }
  env?: Record<string, string>
  /** Ctrl-C in the terminal then does not reach the services. */
  ownProcessGroup?: boolean
}) {
  const {
    retryDelaysMs,
    withoutDocker = false,
    brokerCount,
    progress,
    faults,
    kafkaLogin,
    ownProcessGroup = false,
  } = settings
  const backing = await startOwnBackingServices({
    ...{ parent: stateFolder, name: "chaos", jars: join(stateFolder, "jars") },
    ...{ withoutDocker, brokerCount, progress, kafkaVersion: settings.kafkaVersion },
    kafkaLogin: kafkaLogin?.broker,
  })
  const { databaseUrl, brokers, directory } = backing
  let keepFiles = false
  const it = await startInstallation({
    backing: {
      ...{ databaseUrl, brokers, topicPrefix: "" },
      ...(kafkaLogin && { kafkaLogin: kafkaLogin.account }),
      replication: Math.min(3, brokers.length),
      stop: () => backing.stop({ keepFiles }),
    },
    retryDelaysMs,
    env: { LOG_LEVEL: "info", RETRY_PERIOD: "1h", STARTUP_DEADLINE: "45s", ...settings.env },
    logsFolder: directory,
    ownProcessGroup,
    ...(settings.checkout && { checkout: settings.checkout }),
  })
  const helpers: StartedProcess[] = []

  return {
    directory,
    postgres: backing.postgres,
    brokers: backing.kafka,
    pool: it.pool,
    sql: ((text, values, name) => retryForTwoMinutes(() => it.sql(text, values, name))) as Sql,
    kafka: it.kafka,
    names: it.names,
    publish: it.publish,
    addChannel: it.addChannel,
    addConnections: it.addConnections,
    databaseUrl,
    setUp: (delaysMs: readonly number[], overrides: Record<string, string> = {}, checkout?: Checkout) =>
      it.setUp({ RETRY_DELAYS: delaysMs.map(formatDuration).join(","), ...overrides }, checkout),
    /** A service that faults kill, pause and restart. It is not started yet; `env` is read at each start. */
    service(
      name: string,
      service: ServiceName,
      env: () => Record<string, string> = () => ({}),
      checkout?: Checkout,
    ): SupervisedProcess {
      const note = (line: string) => appendFileSync(join(directory, `${name}.log`), `--- ${line}\n`)
      return it.superviseFile({
        name,
        main: services[service].main,
        checkout,
        env: () => ({ ...it.variables(service), ...env() }),
        restartAfterMs: 0,
        retryAfterMs: 500,
        onEvent(event) {
          if (event.kind === "failed to start") return note(`did not start: ${event.error}`)
          if (event.kind === "started") return note(`process ${event.pid} is ready`)
          note(`process ${event.pid} ended (${event.signal ?? event.code})`)
          if (!event.unasked) return
          faults.push({ kind: "exit", target: name, beganAt: Date.now(), endedAt: Date.now() })
          progress(`          ${name} ended unasked with ${event.code} and is started again`)
        },
      })
    },
    async helper(main: string, env: Record<string, string>): Promise<StartedProcess> {
      const started = await startProcess(main, env, { ownProcessGroup })
      helpers.push(started)
      return started
    },
    async stop({ keepLogs }: { keepLogs: boolean }): Promise<void> {
      keepFiles = keepLogs
      await Promise.all(helpers.map((helper) => helper.end("SIGKILL")))
      await it.stop()
      if (keepLogs) progress(`the logs of all processes are in ${directory}`)
    },
  }
}

export type ChaosInstallation = Awaited<ReturnType<typeof startChaosInstallation>>
