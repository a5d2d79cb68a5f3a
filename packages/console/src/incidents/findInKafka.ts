import { groupNames, type TopicStatus } from "@sitewire/contracts"
import type { Offsets } from "@sitewire/kafka"
import type { ReadTopics } from "../kafka/readTopics.ts"
import type { TopicReader } from "../kafka/topicReader.ts"
import { topicStatus } from "../kafka/topicStatus.ts"
import type { Found, FoundNow } from "./incidentRow.ts"

const invalidWithinMs = 86_400_000
/** All schedulers may stop for so long, as in a deployment. Shorter than the time between two searches. */
const missingAfterMs = 45_000

export type InKafka = {
  readTopics: ReadTopics
  invalid: Pick<TopicReader, "topic" | "end" | "offsetsAt">
  prefix: string
}

/** Returns a function that finds the incidents which only Kafka knows of, and rejects if Kafka does not respond. */
export function createFindInKafka(settings: InKafka): (now?: Date) => Promise<FoundNow> {
  const { triggers } = groupNames(settings.prefix)
  let existed = false
  let emptySince: Date | null = null

  /** A group that never had a member, as in an installation without schedulers, is not missing. */
  return async (now = new Date()) => {
    const before = emptySince
    emptySince = null
    const topics = await settings.readTopics()
    const topic = topics.find(({ group }) => group === triggers)
    const members = topic?.members ?? null
    existed ||= members !== null
    // Without the topic, nobody knows.
    if (!existed || !topic?.partitions) return findInTopics(topics, settings)
    if (!members) emptySince = before ?? now
    const since = emptySince && now.getTime() - emptySince.getTime() > missingAfterMs ? emptySince : null
    const missing = since ? [{ subject_id: "schedulers", since, details: {} }] : []
    return new Map([["scheduler.missing", missing], ...(await findInTopics(topics, settings))])
  }
}

async function findInTopics(
  read: Awaited<ReturnType<ReadTopics>>,
  { invalid }: Pick<InKafka, "invalid">,
): Promise<FoundNow> {
  const topics = read.map(topicStatus)
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
