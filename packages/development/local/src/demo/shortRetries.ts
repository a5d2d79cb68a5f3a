import type { LocalStack } from "@sitewire/cli"
import { parseDuration } from "@sitewire/contracts"
import { startInstallation } from "@sitewire/testkit/installation"
import { readSecrets } from "../state/secrets.ts"

/**
 * Starts another dispatcher on the same Postgres and Kafka, with short retry delays. It has its own topic
 * prefix, because retry topics are named after their delays, and the running dispatcher cannot use others.
 */
export async function startShortRetries(local: LocalStack, delays: string[]) {
  const { sealingKeys } = await readSecrets()
  const it = await startInstallation({
    backing: {
      databaseUrl: local.database,
      brokers: local.kafka.split(","),
      topicPrefix: `${local.topicPrefix ?? ""}demo.`,
      replication: 1,
      stop: async () => {},
    },
    retryDelaysMs: delays.map(parseDuration),
    sealingKeys,
  })
  try {
    await it.start("dispatcher")
  } catch (error) {
    await it.stop()
    throw error
  }
  return { sitePaidTopic: it.names.sitePaid, stop: () => it.stop("SIGTERM", 30_000) }
}
