import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startBackingServices } from "@sitewire/testkit/backing"
import { dropTestDatabases, makeTemplate } from "./freshDatabase.ts"

const stateFolder = fileURLToPath(new URL("../../../../.sitewire", import.meta.url))

/**
 * Starts a real Postgres and a real Kafka for the tests, or uses those that the environment names, and
 * creates the template database. `npm test` calls this before it starts vitest. A vitest that was started in
 * another way calls this itself.
 */
export async function setup(): Promise<() => Promise<void>> {
  const { env } = process
  if (env.TEMPLATE_DATABASE) return async () => {}
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
