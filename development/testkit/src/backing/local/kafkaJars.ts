import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { kafkaVersion } from "../kafkaSettings.ts"
import { reportWhileWaiting } from "../startInDockerOrLocally.ts"
import type { BackingOptions } from "../types.ts"

const pom = fileURLToPath(new URL("../../../kafka/pom.xml", import.meta.url))

/**
 * Maven downloads Kafka's jars once. It writes to a temporary folder, which is then renamed. So an
 * interrupted download is repeated, and two downloads at the same time do no harm.
 */
export async function kafkaJars({
  jars,
  env,
  progress,
  version = kafkaVersion,
}: { jars: string; version?: string } & Pick<BackingOptions, "env" | "progress">): Promise<string> {
  const home = join(jars, `kafka-${version}`)
  const libs = join(home, "libs")
  if (existsSync(libs)) return libs
  await mkdir(jars, { recursive: true })
  const fresh = await mkdtemp(join(jars, "downloading-"))
  try {
    await reportWhileWaiting(progress, `downloading Kafka ${version} with Maven (43 MB, once)`, () =>
      copyDependencies(join(fresh, "libs"), env, version),
    )
    await rename(fresh, home).catch(async (error) => {
      if (!existsSync(libs)) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return libs
}

async function copyDependencies(libs: string, env: BackingOptions["env"], version: string) {
  const goal = "dependency:copy-dependencies"
  const settings = [`-Dkafka.version=${version}`, "-DincludeScope=runtime", `-DoutputDirectory=${libs}`]
  await maven(["-f", pom, goal, ...settings], env, version)
}

async function maven(args: readonly string[], env: BackingOptions["env"], version: string) {
  const run = promisify(execFile)("mvn", ["-q", "-B", ...args], { env: { ...env }, maxBuffer: 16 << 20 })
  await run.catch((error) => {
    if (error.code === "ENOENT") {
      throw new Error(
        "Kafka's jars are not downloaded yet, and Maven, which downloads them, is not installed. Install Maven (mvn on the PATH), start Docker, or set KAFKA_BROKERS to your own Kafka.",
        { cause: error },
      )
    }
    const printed = `${error.stdout ?? ""}${error.stderr ?? ""}`.trim().split("\n").slice(0, 8).join("\n")
    throw new Error(
      `Maven could not download Kafka ${version}:\n${printed}\nCheck its access to a repository (settings.xml), start Docker, or set KAFKA_BROKERS to your own Kafka.`,
      { cause: error },
    )
  })
}

/** The folder of the jar of Kafka's command-line tools, which needs those of `kafkaJars`. Downloads it once. */
export async function kafkaToolsJar(options: { jars: string; env: BackingOptions["env"] }): Promise<string> {
  const folder = join(options.jars, `kafka-tools-${kafkaVersion}`)
  const jar = join(folder, `kafka-tools-${kafkaVersion}.jar`)
  if (existsSync(jar)) return jar
  const artifact = `org.apache.kafka:kafka-tools:${kafkaVersion}`
  const goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
  await maven([goal, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], options.env, kafkaVersion)
  return jar
}
