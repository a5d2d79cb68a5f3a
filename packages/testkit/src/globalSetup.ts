import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startBackingServices } from "@sitewire/backing"
import { dropTestDatabases, makeTemplate } from "./freshDatabase.ts"

const stateFolder = fileURLToPath(new URL("../../../.sitewire", import.meta.url))

/**
 * Vitest runs this before all test files: it starts a real Postgres and a real Kafka, or uses those of the environment.
 * Test files read their addresses from DATABASE_URL and KAFKA_BROKERS.
 */
export async function setup(): Promise<() => Promise<void>> {
  const { env } = process
  const backing = await startBackingServices({
    directory: join(stateFolder, "tests"),
    jars: join(stateFolder, "jars"),
    env,
    durability: "scratch",
    progress: (line) => void process.stderr.write(`tests: ${line}\n`),
  })
  const { databaseUrl, brokers } = backing
  env.DATABASE_URL = databaseUrl
  env.KAFKA_BROKERS = brokers.join(",")
  const template = await makeTemplate(databaseUrl)
  env.TEMPLATE_DATABASE = template
  return async () => {
    await dropTestDatabases(databaseUrl, template)
    await backing.stop()
  }
}
