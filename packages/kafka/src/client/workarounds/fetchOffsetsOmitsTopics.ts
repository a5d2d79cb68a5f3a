/*
 * Defect of kafkajs 2.2.4: `fetchOffsets` for several topics omits a topic whose metadata is not cached at
 * that moment.
 * Effect: all records of that topic count as lag.
 * Delete this file when kafkajs returns all topics, and call `fetchOffsets` once.
 */
import type { Admin } from "kafkajs"

/** Committed offsets by partition; -1 if there is none. */
export async function fetchCommittedOffsets(
  admin: Admin,
  groupId: string,
  topic: string,
): Promise<Map<number, bigint>> {
  const fetched = await admin.fetchOffsets({ groupId, topics: [topic] })
  const partitions = fetched.flatMap(({ partitions }) => partitions)
  return new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]))
}
