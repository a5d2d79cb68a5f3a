import { writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import { topicCatalogue, topicConfig } from "../packages/contracts/src/index.ts"
import { readConfig } from "../packages/runtime/src/index.ts"
import { setupVariables } from "../packages/setup/src/index.ts"

type Settings = Parameters<typeof topicCatalogue>[0] & { replication: number }

/**
 * Returns the topic catalogue as Strimzi's KafkaTopic resources, for those who manage topics declaratively.
 * The setup job finds such topics complete and leaves them alone.
 */
export function describeTopics({ replication, ...settings }: Settings): string {
  const resources = topicCatalogue(settings).map((topic) => {
    const entries = Object.entries(topicConfig(topic, replication)).map(
      ([name, value]) => `    ${name}: ${JSON.stringify(value)}`,
    )
    return `# ${topic.purpose} Key: ${topic.key}.
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: ${resourceName(topic.name)}
  labels:
    strimzi.io/cluster: kafka
spec:
  topicName: ${topic.name}
  partitions: ${topic.partitions}
  replicas: ${replication}
  config:
${entries.join("\n")}
`
  })
  return `# Written by \`node deploy/topics.ts\` from the topic catalogue; not to be edited.\n${resources.join("---\n")}`
}

/** Names of topics may have capitals and underscores, names of resources may not. */
function resourceName(topic: string): string {
  return topic.toLowerCase().replaceAll("_", "-")
}

export function topicSettings(env: Record<string, string | undefined>): Settings {
  const { TOPIC_PREFIX, RETRY_DELAYS, RETRY_PERIOD, TOPIC_REPLICATION } = setupVariables
  const config = readConfig({ TOPIC_PREFIX, RETRY_DELAYS, RETRY_PERIOD, TOPIC_REPLICATION }, env)
  return {
    prefix: config.TOPIC_PREFIX,
    retryDelaysMs: config.RETRY_DELAYS,
    retryPeriodMs: config.RETRY_PERIOD,
    replication: config.TOPIC_REPLICATION,
  }
}

if (import.meta.main) {
  const [file] = parseArgs({ allowPositionals: true }).positionals
  const text = describeTopics(topicSettings(process.env))
  if (file) await writeFile(file, text)
  else process.stdout.write(text)
}
