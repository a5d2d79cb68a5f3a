import type { TopicStatus } from "@sitewire/contracts"
import type { Offsets } from "@sitewire/kafka"
import type { ReadTopics } from "../kafka/readTopics.ts"
import type { TopicReader } from "../kafka/topicReader.ts"
import { topicStatus } from "../kafka/topicStatus.ts"
import type { Found, FoundNow } from "./incidentRow.ts"

const invalidWithinMs = 86_400_000

/** The incidents that only Kafka knows of. Rejects if Kafka does not respond. */
export async function findInKafka({
  readTopics,
  invalid,
}: {
  readTopics: ReadTopics
  invalid: Pick<TopicReader, "topic" | "end" | "offsetsAt">
}): Promise<FoundNow> {
  const topics = (await readTopics()).map(topicStatus)
  const missing = topics.filter(({ records }) => records === null)
  const invalidEvents = missing.some(({ name }) => name === invalid.topic) ? [] : await findInvalid(invalid)
  return new Map([
    ["topic.missing", missing.map(({ name }) => ({ subject_id: name, since: new Date(), details: {} }))],
    [
      "topic.behind",
      topics
        .filter(({ behind }) => behind)
        .map((topic) => ({
          subject_id: topic.name,
          since: new Date(topic.oldest_unread_at ?? Date.now()),
          details: { group: topic.group, records: topic.lag, ...blockedAt(topic) },
        })),
    ],
    ["event.invalid", invalidEvents],
  ])
}

/** Where the oldest unread record is the first one of a transaction that is open. */
function blockedAt({ oldest_unread_at: oldest, partitions }: TopicStatus): Found["details"] {
  const blocked = partitions.find(({ open_transaction: open }) => open?.since === oldest)
  return blocked
    ? { partition: blocked.partition, first_offset: blocked.open_transaction?.first_offset ?? null }
    : {}
}

/** Counts by offsets, because reading the records takes seconds. */
async function findInvalid({
  topic,
  end,
  offsetsAt,
}: Pick<TopicReader, "topic" | "end" | "offsetsAt">): Promise<Found[]> {
  const from = await offsetsAt(Date.now() - invalidWithinMs)
  const events = recordsBetween(from, await end())
  return events > 0 ? [{ subject_id: topic, since: new Date(), details: { events } }] : []
}

function recordsBetween(from: Offsets, to: Offsets): number {
  return Object.entries(to).reduce((sum, [partition, end]) => {
    return sum + Number(BigInt(end) - BigInt(from[partition] ?? end))
  }, 0)
}
