import { type Topic, type TopicSettings, topicCatalogue } from "@sitewire/contracts"
import { type KafkaConnection, readBacklog, type TopicBacklog } from "@sitewire/kafka"
import { shareRunning } from "@sitewire/runtime"
import { KafkaUnavailable, unavailable } from "./publisher.ts"

type Settings = TopicSettings & {
  kafka: KafkaConnection
  deadlineMs?: number
}

export type ReadTopics = () => Promise<
  ({ topic: Topic; group: string | null } & Pick<TopicBacklog, "partitions" | "members">)[]
>

/** Requests that arrive while another one reads share its result. */
export function readTopicsOf({ kafka, deadlineMs = 8_000, ...settings }: Settings): ReadTopics {
  const topics = topicCatalogue(settings)

  async function read(): ReturnType<ReadTopics> {
    const consumed = topics.map(({ name, group = null }) => ({ topic: name, group }))
    const backlogs = await readBacklog(kafka, consumed, deadlineMs).catch(unavailable)
    for (const backlog of backlogs) requireAll(backlog)
    const byTopic = new Map(backlogs.map((backlog) => [backlog.topic, backlog]))
    return topics.map((topic) => {
      const { partitions = null, members = null } = byTopic.get(topic.name) ?? {}
      return { topic, group: topic.group ?? null, partitions, members }
    })
  }

  return shareRunning(read)
}

/** Sums without some of the partitions would look as if they were complete. */
function requireAll({ topic, unreadable: [first, ...more] }: TopicBacklog): void {
  if (first === undefined) return
  const others = more.length === 0 ? "" : `, and ${more.length} more of its partitions`
  throw new KafkaUnavailable(`partition ${first.partition} of ${topic} cannot be read${others}: ${first.why}`)
}
