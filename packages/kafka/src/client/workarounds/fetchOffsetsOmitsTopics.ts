/*
 * Defects of kafkajs 2.2.4: `fetchOffsets` for several topics omits a topic whose metadata is not cached at
 * that moment; and it fails at once while the group's coordinator moves or loads, as after a broker's start.
 * Effect: all records of that topic count as lag, or the offsets cannot be read for some seconds.
 * Delete this file when kafkajs returns all topics and waits, and call `fetchOffsets` once.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Admin } from "kafkajs"
import { isProtocolError } from "../isProtocolError.ts"

const notReady = ["GROUP_LOAD_IN_PROGRESS", "GROUP_COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR_FOR_GROUP"]
const notReadyMs = 10_000
const pauseMs = 100

/** Committed offsets by partition; -1 if there is none. */
export async function fetchCommittedOffsets(
  admin: Admin,
  groupId: string,
  topic: string,
): Promise<Map<number, bigint>> {
  const fetched = await whenReady(() => admin.fetchOffsets({ groupId, topics: [topic] }))
  const partitions = fetched.flatMap(({ partitions }) => partitions)
  return new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]))
}

async function whenReady<T>(read: () => Promise<T>): Promise<T> {
  for (const startedAt = performance.now(); ; await sleep(pauseMs)) {
    try {
      return await read()
    } catch (error) {
      const mayBecomeReady = notReady.some((type) => isProtocolError(error, type))
      if (!mayBecomeReady || performance.now() - startedAt > notReadyMs) throw error
    }
  }
}
