import { execFile } from "node:child_process"
import { access, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { endSignal, type Folder } from "../claimFolder.ts"
import { brokerSettings, clusterId, nodeSettings } from "../kafkaSettings.ts"
import { pickPort } from "../pickPort.ts"
import type { BackingOptions, StartedBackingService } from "../types.ts"
import { findJava } from "./findJava.ts"
import { kafkaJars } from "./kafkaJars.ts"
import { launch, type Running } from "./launchServer.ts"

/**
 * A single small node that lives for minutes: quick compilation is worth more than fast code. The collector is the one
 * that does not stop what it cleans up after: others held up every record for 10 to 70 ms each few seconds.
 */
const vm = ["-XX:+UseZGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]

/** Only what is wrong, and the one line that tells that the broker serves. */
const logging = [
  "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
  "-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info",
  "-Dorg.slf4j.simpleLogger.showDateTime=true",
  "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
]

/** What clients must bring: the protocol, its settings, and arguments of the formatting, as accounts to be made. */
export type BrokerLock = { protocol: string; settings: Record<string, string>; format: string[] }

/** Which one of several brokers; `controllers` are the first ones', host:port, and `settings` are all their own. */
export type ClusterNode = {
  id: number
  controllers: readonly string[]
  settings: Record<string, string>
  lock?: BrokerLock | undefined
}

export async function startLocalKafka({
  folder,
  jars,
  env,
  port: wanted,
  progress,
  node,
}: { folder: Folder; jars: string; node?: ClusterNode } & Pick<
  BackingOptions,
  "env" | "port" | "progress"
>): Promise<StartedBackingService> {
  const { java } = await findJava(env)
  const classpath = join(await kafkaJars({ jars, env, progress }), "*")
  const port = await pickPort({ wanted, service: "Kafka" })
  const data = join(folder.path, "data")
  const properties = join(folder.path, "server.properties")
  const log = join(folder.path, "kafka.log")
  await mkdir(data, { recursive: true })
  // No more than a java found through a version manager's shim needs: our secrets are not Kafka's business.
  const surroundings = { LC_ALL: "C", PATH: env.PATH ?? "/usr/bin:/bin", HOME: env.HOME ?? folder.path }

  const start = async () => {
    const listen = `127.0.0.1:${port}`
    const controllers = node?.controllers ?? [await pickController()]
    const lock = node?.lock
    const protocol = lock?.protocol ?? "PLAINTEXT"
    const own = nodeSettings({ data, listen, advertised: listen, controllers, id: node?.id ?? 1, protocol })
    await writeFile(properties, render({ ...brokerSettings, ...node?.settings, ...lock?.settings, ...own }))
    if (!(await isFormatted(data))) {
      const format = [
        "kafka.tools.StorageTool",
        "format",
        "-t",
        clusterId,
        "-c",
        properties,
        "-g",
        ...(lock?.format ?? []),
      ]
      await promisify(execFile)(java, [...vm, ...logging, "-cp", classpath, ...format], { env: surroundings })
    }
    return launch({
      what: "Kafka",
      command: java,
      args: ["-Xmx512m", ...vm, ...logging, "-cp", classpath, "kafka.Kafka", properties],
      cwd: folder.path,
      env: surroundings,
      account: undefined,
      log,
      endWith: endSignal.kafka,
      started: (pid) => folder.record(pid, properties),
      ready: async () => (await readFile(log, "utf8")).includes("Kafka Server started"),
    })
  }

  let running: Running | undefined = await start()
  const end = async (signal: NodeJS.Signals) => {
    const ending = running
    running = undefined
    await ending?.end(signal, 20_000)
  }
  return {
    kind: "local",
    address: `127.0.0.1:${port}`,
    get pid() {
      return running?.pid
    },
    stop: async () => {
      await end(endSignal.kafka)
      await folder.release()
    },
    halt: (how = "orderly") => end(how === "kill" ? "SIGKILL" : endSignal.kafka),
    resume: async () => {
      if (running) return
      await pickPort({ wanted: port, service: "Kafka" })
      running = await start()
    },
  }
}

/** Where a controller may listen, host:port. */
export async function pickController(): Promise<string> {
  return `127.0.0.1:${await pickPort({ wanted: 0, service: "Kafka's controller" })}`
}

/** The tool writes meta.properties last, so a folder that holds it has everything. */
function isFormatted(data: string) {
  return access(join(data, "meta.properties")).then(
    () => true,
    () => false,
  )
}

/** In a properties file a backslash escapes. */
function render(settings: Record<string, string>) {
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value.replaceAll("\\", "\\\\")}\n`)
    .join("")
}
