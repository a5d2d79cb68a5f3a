import type { PartitionQueue } from "./partitionQueue.ts"

const recentMs = 1_000
const failureCountsMs = 3_000

/** `unavailable` lists the partitions that accept no records. */
export type TopicState =
  | { status: "available" }
  | { status: "partial"; unavailable: number[]; partitions: number; why: string }
  | { status: "unavailable"; why: string }

export function hasAcknowledgedLately(partitions: readonly PartitionQueue[], leader: number): boolean {
  const since = performance.now() - recentMs
  return partitions.some((partition) => partition.leader === leader && partition.acknowledgedAt > since)
}

export function isKnownAvailable(
  partitions: readonly PartitionQueue[],
  leaders: ReadonlySet<number>,
): boolean {
  if (leaders.size === 0) return false
  if (!partitions.every(({ leader, failure }) => leader !== null && failure === null)) return false
  return [...leaders].every((leader) => hasAcknowledgedLately(partitions, leader))
}

export function describeTopic(
  partitions: readonly PartitionQueue[],
  topicFailure: string | null,
  unresponsive: ReadonlyMap<number, string>,
): TopicState {
  if (topicFailure !== null || partitions.length === 0)
    return { status: "unavailable", why: topicFailure ?? "its metadata has not been read" }
  const now = performance.now()
  // If a leader has recently rejected records, partitions without a recent acknowledgement may fail likewise.
  const shared = partitions.find(({ failure }) => failure?.byLeader && now - failure.at < failureCountsMs)
  const failing = partitions.flatMap((partition) => {
    const why = failureOf(partition, unresponsive, shared?.failure?.why ?? null)
    return why === null ? [] : [{ id: partition.id, why }]
  })
  const [first] = failing
  if (!first) return { status: "available" }
  if (failing.length === partitions.length) return { status: "unavailable", why: first.why }
  const unavailable = failing.map(({ id }) => id).toSorted((a, b) => a - b)
  return { status: "partial", unavailable, partitions: partitions.length, why: first.why }
}

function failureOf(
  partition: PartitionQueue,
  unresponsive: ReadonlyMap<number, string>,
  sharedFailure: string | null,
): string | null {
  const { leader, failure, acknowledgedAt } = partition
  if (failure && performance.now() - failure.at < failureCountsMs) return failure.why
  if (leader === null) return `partition ${partition.id} has no leader`
  const why = unresponsive.get(leader)
  if (why !== undefined) return why
  return performance.now() - acknowledgedAt < failureCountsMs ? null : sharedFailure
}
