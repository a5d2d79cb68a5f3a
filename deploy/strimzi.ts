import { writeFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import {
  type TopicAccess,
  topicAccess,
  topicCatalogue,
  topicConfig,
} from "../packages/contracts/src/index.ts"
import { setupVariables } from "../packages/database/src/setup/config.ts"
import { readConfig } from "../packages/runtime/src/index.ts"

type Settings = Parameters<typeof topicCatalogue>[0] & { replication: number }

const header = "# Written by `node deploy/strimzi.ts` from the topic catalogue; not to be edited.\n"

/** Returns the topic catalogue as KafkaTopics. The setup job finds such topics complete and leaves them alone. */
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
    sitewire/apply: first
  # Without its KafkaTopic, Strimzi deletes a topic with all its records.
  annotations:
    kustomize.toolkit.fluxcd.io/prune: disabled
    argocd.argoproj.io/sync-options: Prune=false,Delete=false
spec:
  topicName: ${topic.name}
  partitions: ${topic.partitions}
  replicas: ${replication}
  config:
${entries.join("\n")}
`
  })
  return header + resources.join("---\n")
}

/** Returns one KafkaUser for each process, with the permissions that it needs and no others. */
export function describeUsers(settings: Settings): string {
  const resources = topicAccess(settings).map((access) => {
    const acls = aclsOf(access).map(
      ({ type, name, operations }) =>
        `      - resource: { type: ${type}, name: ${name}, patternType: literal }
        operations: [${operations.join(", ")}]
`,
    )
    return `apiVersion: kafka.strimzi.io/v1
kind: KafkaUser
metadata:
  name: ${kafkaUser(access.process)}
  labels:
    strimzi.io/cluster: kafka
    sitewire/apply: first
spec:
  authentication:
    type: scram-sha-512
  authorization:
    type: simple
    acls:
${acls.join("")}`
  })
  return header + resources.join("---\n")
}

export function kafkaUser(process: string): string {
  return `sitewire-${process}`
}

type Acl = {
  type: "topic" | "group"
  name: string
  operations: string[]
}

/** Kafka lets whoever may Read or Write a resource also Describe it. */
function aclsOf({ read, write, measure, inspect, join, observe }: TopicAccess): Acl[] {
  const operations = new Map<string, string[]>()
  const allow = (topics: string[], ...allowed: string[]) => {
    for (const topic of topics) operations.set(topic, [...(operations.get(topic) ?? []), ...allowed])
  }
  allow(read, "Read")
  allow(write, "Write")
  allow(measure, "Describe")
  allow(inspect, "Describe", "DescribeConfigs")
  const group = (name: string, ...operations: string[]): Acl => ({
    type: "group",
    name,
    operations,
  })
  return [
    ...[...operations].map(([name, allowed]): Acl => ({ type: "topic", name, operations: allowed })),
    ...join.map((name) => group(name, "Read")),
    ...observe.map((name) => group(name, "Describe")),
  ]
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
  const [folder] = parseArgs({ allowPositionals: true }).positionals
  const settings = topicSettings(process.env)
  const [topics, users] = [describeTopics(settings), describeUsers(settings)]
  if (folder) {
    await writeFile(`${folder}/topics.yaml`, topics)
    await writeFile(`${folder}/users.yaml`, users)
  } else process.stdout.write(`${topics}---\n${users}`)
}
