import { type TopicStatus, topicListSchema } from "@sitewire/contracts"
import type { ReadTopics } from "../../kafka/readTopics.ts"
import { defineRoute } from "../defineRoute.ts"
import { ok } from "../response.ts"

export const listTopics = defineRoute({
  method: "get",
  path: "/v1/topics",
  operation: "listTopics",
  summary: "List the Kafka topics with the lag of their consumers",
  allow: { read: "all" },
  description: "All topics of the catalogue. If Kafka does not respond within 8 seconds, the status is 503.",
  success: { status: 200, description: "All topics.", schema: topicListSchema },
  async handle({ readTopics }) {
    return ok({ data: (await readTopics()).map(topicResponse) })
  },
})

type TopicRow = Awaited<ReturnType<ReadTopics>>[number]

function topicResponse({ topic, group, partitions }: TopicRow): TopicStatus {
  const known = partitions ?? []
  const oldest = known.flatMap(({ oldestUnreadAt }) => (oldestUnreadAt ? [oldestUnreadAt.getTime()] : []))
  return {
    name: topic.name,
    purpose: topic.purpose,
    group,
    records: partitions && sum(known.map(({ records }) => records)),
    lag: group === null || partitions === null ? null : sum(known.map(({ lag }) => lag ?? 0)),
    oldest_unread_at: oldest.length === 0 ? null : new Date(Math.min(...oldest)).toISOString(),
    partitions: known.map(({ partition, records, lag, oldestUnreadAt }) => ({
      partition,
      records,
      lag,
      oldest_unread_at: oldestUnreadAt?.toISOString() ?? null,
    })),
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
