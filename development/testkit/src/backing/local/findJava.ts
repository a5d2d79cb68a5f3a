import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import type { BackingOptions } from "../types.ts"

export async function findJava(
  env: BackingOptions["env"],
): Promise<{ java: string; version: number; build: string }> {
  const java = env.JAVA_HOME ? join(env.JAVA_HOME, "bin", "java") : "java"
  const remedies =
    "Install a Java runtime of version 17 or newer and set JAVA_HOME to it, start Docker, or set KAFKA_BROKERS to your own Kafka."
  const printed = await promisify(execFile)(java, ["-version"], { env: { ...env } }).catch((error) => {
    throw new Error(`Kafka needs Java, and ${java} does not run (${error.code}). ${remedies}`, {
      cause: error,
    })
  })
  const version = Number(/version "(\d+)/.exec(printed.stderr)?.[1])
  if (!(version >= 17)) {
    throw new Error(`Kafka needs Java 17, and ${java} is ${printed.stderr.split("\n")[0]}. ${remedies}`)
  }
  return { java, version, build: printed.stderr }
}
