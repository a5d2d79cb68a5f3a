import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { PasswordLogin } from "@sitewire/kafka"
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

export const stateFolder = fileURLToPath(new URL("../../../../.sitewire", import.meta.url))

export type LabSettings = {
  name: string
  progress: (line: string) => void
  brokerCount?: number | undefined
  replication?: number | undefined
  retryDelaysMs?: readonly number[] | undefined
  env?: Record<string, string> | undefined
  /** The code of the services and of the setup job, if it is not this checkout's. */
  checkout?: Checkout | undefined
  kafkaVersion?: ((broker: number) => string) | undefined
  /** How clients log in to Kafka, and the account of the setup job and the installation's own clients. */
  kafkaLogin?: { broker: ClientLogin; account: PasswordLogin } | undefined
  /** Called when a service ends although nobody asked it to. It is started again. */
  onExit?: (service: string) => void
}

/** An installation with its own Postgres and Kafka: processes of this machine, which may be stopped, killed and measured like the services. */
export async function startLab(settings: LabSettings) {
  const { name, progress, retryDelaysMs, checkout, kafkaLogin, onExit } = settings
  const backing = await startOwnBackingServices({
    parent: stateFolder,
    name,
    jars: join(stateFolder, "jars"),
    brokerCount: settings.brokerCount ?? 1,
    kafkaVersion: settings.kafkaVersion,
    kafkaLogin: kafkaLogin?.broker,
    progress,
  })
  const { databaseUrl, brokers, directory } = backing
  let keepFiles = false
  const it = await startInstallation({
    backing: {
      databaseUrl,
      brokers,
      topicPrefix: "",
      kafkaLogin: kafkaLogin?.account,
      replication: settings.replication ?? Math.min(3, brokers.length),
      stop: () => backing.stop({ keepFiles }),
    },
    ...(retryDelaysMs && { retryDelaysMs }),
    ...(checkout && { checkout }),
    env: settings.env ?? {},
    logsFolder: directory,
  })
  const helpers: StartedProcess[] = []
  return {
    ...it,
    directory,
    servers: { postgres: backing.postgres, brokers: backing.kafka },
    /** A service that may be killed, paused and restarted. It is not started yet; `env` is read at each start. */
    service(
      name: string,
      service: ServiceName,
      env: () => Record<string, string> = () => ({}),
      checkout?: Checkout,
    ): SupervisedProcess {
      const log = join(directory, `${name}.log`)
      const note = (line: string) => appendFileSync(log, `--- ${line}\n`)
      const lastFatal = () =>
        readFileSync(log, "utf8")
          .split("\n")
          .findLast((line) => line.includes('"level":"fatal"')) ?? "its log has no line of level fatal"
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
          progress(`          ${name} ended unasked with ${event.code} and is started again: ${lastFatal()}`)
          onExit?.(name)
        },
      })
    },
    /** A process that is no part of the installation, such as the partners. */
    async helper(main: string, env: Record<string, string> = {}): Promise<StartedProcess> {
      const started = await startProcess(`development/lab/src/${main}`, env)
      helpers.push(started)
      return started
    },
    async close({ keepLogs = false } = {}): Promise<void> {
      keepFiles = keepLogs
      await Promise.all(helpers.map((helper) => helper.end("SIGKILL")))
      await it.stop()
      if (keepLogs) progress(`the logs of all processes are in ${directory}`)
    },
  }
}

export type Lab = Awaited<ReturnType<typeof startLab>>
