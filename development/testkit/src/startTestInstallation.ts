import {
  type Installation,
  type InstallationOptions,
  startInstallation,
} from "@sitewire/testkit/installation"
import { freshDatabase, kafkaBrokers } from "./freshDatabase.ts"
import { freshTopics, testRetryDelaysMs } from "./freshTopics.ts"

/**
 * An installation with its own database and topic prefix in the tests' Postgres and Kafka. Use it with `await
 * using`, or call `stop`.
 */
export async function startTestInstallation(
  options: Pick<InstallationOptions, "retryDelaysMs" | "env"> = {},
): Promise<Installation> {
  const { retryDelaysMs = testRetryDelaysMs, env = {} } = options
  const [database, { prefix }] = await Promise.all([freshDatabase(), freshTopics({ retryDelaysMs })])
  const servers = { databaseUrl: database.url, brokers: kafkaBrokers() }
  const backing = { ...servers, topicPrefix: prefix, replication: null, stop: database.drop }
  return startInstallation({ backing, retryDelaysMs, env: { RETRY_PERIOD: "1h", ...env } })
}
