import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startBackingServices } from "@sitewire/testkit/backing"
import { dropTestDatabases, makeTemplate } from "./freshDatabase.ts"
import { waitForGroups } from "./waitForGroups.ts"

const stateFolder = fileURLToPath(new URL("../../../.sitewire", import.meta.url))

/**
 * Starts a real Postgres and a real Kafka for the tests, or uses those that the environment names, and creates the template database.
 * A temporary folder contains what tests, and programs that they start, leave in the one of the machine.
 */
export async function setup(): Promise<() => Promise<void>> {
  const { env } = process
  const folder = await mkdtemp(join(tmpdir(), "sitewire-tests-"))
  // Postgres runs under another account if the tests run as root.
  await chmod(folder, 0o755)
  env.TMPDIR = folder
  env.NODE_COMPILE_CACHE = join(stateFolder, "compiled")
  const backing = await startBackingServices({
    // Users' folders have such names, and Java reads them in some locales only.
    directory: join(stateFolder, "tests ü"),
    jars: join(stateFolder, "jars"),
    env,
    durability: "scratch",
    progress: (line) => void process.stderr.write(`tests: ${line}\n`),
  })
  const { databaseUrl, brokers } = backing
  env.DATABASE_URL = databaseUrl
  env.KAFKA_BROKERS = brokers.join(",")
  const [template] = await Promise.all([makeTemplate(databaseUrl), waitForGroups(brokers)])
  env.TEMPLATE_DATABASE = template
  return async () => {
    await dropTestDatabases(databaseUrl, template)
    await backing.stop()
    await rm(folder, { recursive: true, maxRetries: 5 })
  }
}
