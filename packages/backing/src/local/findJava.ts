import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import type { BackingOptions } from "../types.ts"

/** The java program, version 17 or newer, of JAVA_HOME or else of the PATH. */
export async function findJava(env: BackingOptions["env"]): Promise<{ java: string; version: number }> {
  const java = env.JAVA_HOME ? join(env.JAVA_HOME, "bin", "java") : "java"
  const waysOut =
    "Install a Java runtime of version 17 or newer and set JAVA_HOME to it, start Docker, or set KAFKA_BROKERS to a Kafka of your own."
  const said = await promisify(execFile)(java, ["-version"], { env: { ...env } }).catch((error) => {
    throw new Error(`Kafka needs Java, and ${java} does not run (${error.code}). ${waysOut}`, {
      cause: error,
    })
  })
  const version = Number(/version "(\d+)/.exec(said.stderr)?.[1])
  if (!(version >= 17)) {
    throw new Error(`Kafka needs Java 17, and ${java} is ${said.stderr.split("\n")[0]}. ${waysOut}`)
  }
  return { java, version }
}
