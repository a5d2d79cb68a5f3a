import type { TopicStatus } from "@sitewire/contracts"
import type { OpenTransaction } from "@sitewire/kafka"
import type { ReadTopics } from "./readTopics.ts"

/** Consumers read within seconds. */
const behindMs = 60_000

type TopicRow = Omit<Awaited<ReturnType<ReadTopics>>[number], "members">

/** A topic as the management API describes it. */
export function topicStatus({ topic, group, partitions }: TopicRow): TopicStatus {
  const known = partitions ?? []
  const oldest = known.flatMap(({ oldestUnreadAt }) => (oldestUnreadAt ? [oldestUnreadAt.getTime()] : []))
  const oldestAt = oldest.length === 0 ? null : Math.min(...oldest)
  return {
    name: topic.name,
    purpose: topic.purpose,
    group,
    records: partitions && sum(known.map(({ records }) => records)),
    lag: group === null || partitions === null ? null : sum(known.map(({ lag }) => lag ?? 0)),
    oldest_unread_at: oldestAt === null ? null : new Date(oldestAt).toISOString(),
    behind: oldestAt !== null && oldestAt < Date.now() - behindMs && !topic.name.includes(".retry."),
    partitions: known.map(({ partition, records, lag, oldestUnreadAt, openTransaction }) => ({
      partition,
      records,
      lag,
      oldest_unread_at: oldestUnreadAt?.toISOString() ?? null,
      open_transaction: openTransaction && openTransactionOf(openTransaction),
    })),
  }
}

export function openTransactionOf({ offset, since, records }: OpenTransaction) {
  return { first_offset: offset, since: since?.toISOString() ?? null, records }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
