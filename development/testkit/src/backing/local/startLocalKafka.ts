import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { endSignal, type Folder } from "../claimFolder.ts"
import { brokerSettings, clusterId, nodeSettings, shortSession } from "../kafkaSettings.ts"
import { pickPort } from "../pickPort.ts"
import type { BackingOptions, LocalService } from "../types.ts"
import { classArchive } from "./classArchive.ts"
import { findJava } from "./findJava.ts"
import { haltable } from "./haltable.ts"
import { kafkaJars } from "./kafkaJars.ts"
import { launchServer } from "./launchServer.ts"

/**
 * The broker runs for minutes, so quick compilation matters more than fast code (TieredStopAtLevel). Garbage
 * collectors other than ZGC delayed records by 10 to 70 ms every few seconds.
 */
const vm = ["-XX:+UseZGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]

/** Kafka logs warnings, and the one line that says that the broker is ready. */
const logging = [
  "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
  "-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info",
  "-Dorg.slf4j.simpleLogger.showDateTime=true",
  "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
]

/**
 * How clients log in: the protocol, the broker's settings for it, arguments for formatting the storage, such as accounts,
 * and Java's system properties.
 */
export type ClientLogin = {
  protocol: string
  settings: Record<string, string>
  format: string[]
  properties?: Record<string, string>
}

/** One broker of a cluster. `controllers` are host:port. `settings` are those that all brokers share. */
export type ClusterNode = {
  id: number
  controllers: readonly string[]
  settings: Record<string, string>
  login?: ClientLogin | undefined
  /** The version of Kafka, read at each start. */
  version?: (() => string) | undefined
}

export async function startLocalKafka(
  options: { folder: Folder; jars: string; node?: ClusterNode } & Pick<
    BackingOptions,
    "env" | "port" | "progress" | "onUnaskedEnd"
  >,
): Promise<LocalService> {
  const { folder, jars, env, port: wanted, progress, onUnaskedEnd, node } = options
  const { java, build } = await findJava(env)
  const port = await pickPort({ wanted, service: "Kafka" })
  const data = join(folder.path, "data")
  const properties = join(folder.path, "server.properties")
  const log = join(folder.path, "kafka.log")
  await mkdir(data, { recursive: true })
  // Java gets only the variables that a version manager's java needs, because our environment contains
  // secrets.
  const environment = { LC_ALL: "C.UTF-8", PATH: env.PATH ?? "/usr/bin:/bin", HOME: env.HOME ?? folder.path }

  const start = async () => {
    const libs = await kafkaJars({ jars, env, progress, ...(node?.version && { version: node.version() }) })
    const classpath = join(libs, "*")
    const archive = await classArchive(libs, { java, build })
    const login = node?.login
    const own = Object.entries(login?.properties ?? {}).map(([name, value]) => `-D${name}=${value}`)
    const javaArgs = [...vm, ...archive.use, ...logging, ...own, "-cp", classpath]
    const listen = `127.0.0.1:${port}`
    const controllers = node?.controllers ?? [await pickController()]
    const protocol = login?.protocol ?? "PLAINTEXT"
    const address = { listen, advertised: listen, controllers }
    const settings = { ...brokerSettings, ...(node?.settings ?? shortSession), ...login?.settings }
    const all = { ...settings, ...nodeSettings({ data, ...address, id: node?.id ?? 1, protocol }) }
    await writeFile(properties, render(all))
    // Kafka's tool writes this file last, when the storage is complete.
    if (!existsSync(join(data, "meta.properties"))) {
      const storage = ["-t", clusterId, "-c", properties, "-g", ...(login?.format ?? [])]
      const format = ["kafka.tools.StorageTool", "format", ...storage]
      await promisify(execFile)(java, [...javaArgs, ...format], { env: environment })
    }
    const started = await launchServer({
      what: "Kafka",
      command: java,
      args: ["-Xmx512m", ...javaArgs, "kafka.Kafka", properties],
      cwd: folder.path,
      env: environment,
      account: undefined,
      log,
      endWith: endSignal.kafka,
      started: folder.record,
      ready: async () => (await readFile(log, "utf8")).includes("Kafka Server started"),
      onUnaskedEnd,
    })
    await archive.write(started.pid)
    return started
  }

  const address = `127.0.0.1:${port}`
  return haltable({ service: "Kafka", folder, address, port, endWith: endSignal.kafka, start })
}

export async function pickController(): Promise<string> {
  return `127.0.0.1:${await pickPort({ wanted: 0, service: "Kafka's controller" })}`
}

function render(settings: Record<string, string>) {
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value.replaceAll("\\", "\\\\")}\n`)
    .join("")
}
