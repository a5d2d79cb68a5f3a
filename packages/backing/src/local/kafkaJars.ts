import { execFile } from "node:child_process"
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { kafkaVersion } from "../kafkaSettings.ts"
import { reportWhileWaiting } from "../reportWhileWaiting.ts"
import type { BackingOptions } from "../types.ts"

const pom = fileURLToPath(new URL("../../kafka/pom.xml", import.meta.url))

/**
 * Maven downloads Kafka's jars once. It writes to a temporary folder, which is then renamed. So an
 * interrupted download is repeated, and two downloads at the same time do no harm.
 */
export async function kafkaJars({
  jars,
  env,
  progress,
}: { jars: string } & Pick<BackingOptions, "env" | "progress">): Promise<string> {
  const home = join(jars, `kafka-${kafkaVersion}`)
  const libs = join(home, "libs")
  if (await exists(libs)) return libs
  await mkdir(jars, { recursive: true })
  const fresh = await mkdtemp(join(jars, "downloading-"))
  try {
    await reportWhileWaiting(progress, `downloading Kafka ${kafkaVersion} with Maven (43 MB, once)`, () =>
      copyDependencies(join(fresh, "libs"), env),
    )
    await rename(fresh, home).catch(async (error) => {
      if (!(await exists(libs))) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return libs
}

async function copyDependencies(libs: string, env: BackingOptions["env"]) {
  const goal = "dependency:copy-dependencies"
  const args = ["-q", "-B", "-f", pom, goal, "-DincludeScope=runtime", `-DoutputDirectory=${libs}`]
  await promisify(execFile)("mvn", args, { env: { ...env }, maxBuffer: 16 << 20 }).catch((error) => {
    if (error.code === "ENOENT") {
      throw new Error(
        "Kafka's jars are not downloaded yet, and Maven, which downloads them, is not installed. Install Maven (mvn on the PATH), start Docker, or set KAFKA_BROKERS to your own Kafka.",
        { cause: error },
      )
    }
    const printed = `${error.stdout ?? ""}${error.stderr ?? ""}`.trim().split("\n").slice(0, 8).join("\n")
    throw new Error(
      `Maven could not download Kafka ${kafkaVersion}:\n${printed}\nCheck its access to a repository (settings.xml), start Docker, or set KAFKA_BROKERS to your own Kafka.`,
      { cause: error },
    )
  })
}

function exists(path: string) {
  return access(path).then(
    () => true,
    () => false,
  )
}
