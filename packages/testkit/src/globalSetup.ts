import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startKafka, startPostgres } from "@sitewire/backing"
import { dropTestDatabases, makeTemplate } from "./freshDatabase.ts"

const stateFolder = fileURLToPath(new URL("../../../.sitewire", import.meta.url))

/**
 * Run by vitest before all test files: real Postgres and real Kafka, from the environment, Docker or local processes.
 * The files find them in DATABASE_URL and KAFKA_BROKERS.
 */
export async function setup(): Promise<() => Promise<void>> {
  const { env } = process
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
