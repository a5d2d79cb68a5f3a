import type { KafkaConnection } from "../client/connectKafka.ts"
import { type PartitionBacklog, readBacklog } from "./readBacklog.ts"

export type Lag = Pick<PartitionBacklog, "partition" | "oldestUnreadAt"> & { topic: string; lag: number }

/**
 * Returns how many records of each partition the group has not committed; without a committed offset, all. The group needs no
 * members. Rejects if a partition cannot be read.
 */
export async function groupLag(kafka: KafkaConnection, group: string, topics: string[]): Promise<Lag[]> {
  const { lags, complete } = await readLag(kafka, group, topics)
  if (!complete) throw new Error(`the lag of ${group} cannot be read completely`)
  return lags
}

/** The same for the partitions that can be read. Rejects if no broker responds. */
export async function readLag(
  kafka: KafkaConnection,
  group: string,
  topics: string[],
): Promise<{ lags: Lag[]; complete: boolean }> {
  const consumed = topics.map((topic) => ({ topic, group }))
  const backlogs = await readBacklog(kafka, consumed, 10_000)
  const lags = backlogs.flatMap(({ topic, partitions }) =>
    (partitions ?? []).map(({ partition, lag, oldestUnreadAt }) => ({
      topic,
      partition,
      lag: lag ?? 0,
      oldestUnreadAt,
    })),
  )
  const complete = backlogs.every(
    ({ partitions, unreadable }) => partitions !== null && unreadable.length === 0,
  )
  return { lags, complete }
}
