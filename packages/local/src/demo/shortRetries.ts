import type { LocalStack } from "@sitewire/cli"
import { defaultRetryPeriod, parseDuration, topicNames } from "@sitewire/contracts"
import { createLogger } from "@sitewire/runtime"
import { prepare } from "@sitewire/setup"
import { readSecrets } from "../state/secrets.ts"
import { supervise } from "../supervise.ts"

/**
 * A dispatcher of the demo's own beside the running one, with short retry delays and topics under a prefix of its own:
 * the delays are part of topic names, so the running one cannot be hurried.
 */
export async function startShortRetries(local: LocalStack, delays: string[]) {
  const prefix = `${local.topicPrefix ?? ""}demo.`
  const retryDelaysMs = delays.map(parseDuration)
  await prepare({
    databaseUrl: local.database,
    kafka: { brokers: local.kafka.split(",") },
    topicPrefix: prefix,
    replication: 1,
    retryDelaysMs,
    retryPeriodMs: parseDuration(defaultRetryPeriod),
    deadlineMs: 30_000,
    log: createLogger({ service: "demo", level: "error" }),
  })
  const { sealingKeys } = await readSecrets()
  const dispatcher = await supervise({
    name: "demo-dispatcher",
    main: "services/webhook-dispatcher/src/main.ts",
    env: {
      DATABASE_URL: local.database,
      KAFKA_BROKERS: local.kafka,
      TOPIC_PREFIX: prefix,
      SEALING_KEYS: sealingKeys,
      RETRY_DELAYS: delays.join(","),
      ALLOW_HTTP: "true",
      ALLOWED_RANGES: "127.0.0.0/8",
      OPS_HOST: "127.0.0.1",
      OPS_PORT: "0",
    },
    onRestart: (line) => process.stderr.write(`${line}\n`),
  })
  return { sitePaidTopic: topicNames({ prefix, retryDelaysMs }).sitePaid, stop: dispatcher.stop }
}
