import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startKafka, startPostgres } from "@sitewire/backing"
import { dropTestDatabases, makeTemplate } from "./freshDatabase.ts"

const stateFolder = fileURLToPath(new URL("../../../.sitewire", import.meta.url))

/**
 * Starts a real Postgres and a real Kafka for the tests, or uses those of the environment, and makes the template
 * database. Sets DATABASE_URL, KAFKA_BROKERS and TEMPLATE_DATABASE. Called by `npm test` before it starts vitest, and by
 * each vitest that was started in another way.
 */
export async function setup(): Promise<() => Promise<void>> {
  const { env } = process
  if (env.TEMPLATE_DATABASE) return async () => {}
  const progress = (line: string) => process.stderr.write(`tests: ${line}\n`)
  const options = { directory: join(stateFolder, "tests"), env, durability: "scratch" as const, progress }
  const [postgres, kafka] = await Promise.all([
    startPostgres(options),
    startKafka({ ...options, jars: join(stateFolder, "jars") }),
  ])
  env.DATABASE_URL = postgres.address
  env.KAFKA_BROKERS = kafka.address
  const template = await makeTemplate(postgres.address)
  env.TEMPLATE_DATABASE = template
  return async () => {
    await dropTestDatabases(postgres.address, template)
    await Promise.all([postgres.stop(), kafka.stop()])
  }
}
