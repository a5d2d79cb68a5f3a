import {
  type Installation,
  type InstallationOptions,
  startInstallation,
} from "@sitewire/testkit/installation"
import { freshDatabase, kafkaBrokers } from "./freshDatabase.ts"
import { freshTopics } from "./freshTopics.ts"

/** Shorter than in production, so that a test sees the last retry. */
const testRetryDelaysMs = [200, 400]

/**
 * An installation with its own database and topic prefix in the tests' Postgres and Kafka. Use it with `await
 * using`, or call `stop`.
 */
export async function startTestInstallation({
  retryDelaysMs = testRetryDelaysMs,
  env = {},
}: Pick<InstallationOptions, "retryDelaysMs" | "env"> = {}): Promise<Installation> {
  const [database, { prefix }] = await Promise.all([freshDatabase(), freshTopics({ retryDelaysMs })])
  return startInstallation({
    backing: {
      databaseUrl: database.url,
      brokers: kafkaBrokers(),
      topicPrefix: prefix,
      replication: null,
      stop: database.drop,
    },
    retryDelaysMs,
    env: { RETRY_PERIOD: "1h", ...env },
  })
}
