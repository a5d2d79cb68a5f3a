import type { Fault, FaultKind } from "../../faults/driveFaults.ts"

/**
 * How many times, at most, one fault of this kind makes the consumer group reassign partitions or a
 * dispatcher lose its claims: once when a member is lost, once when it returns, and once for each member that
 * reconnects to a broker. 0 for faults of Postgres and of the console.
 */
export function reassignments(kind: FaultKind, members: number): number {
  switch (kind) {
    case "Postgres killed":
    case "Postgres restarted":
    case "console killed":
      return 0
    case "broker stopped":
      return members
    case "one broker stopped":
    case "one broker paused":
    case "retry topics recreated":
    case "RETRY_DELAYS changed":
    case "kill -9 while Postgres is unavailable":
      return 2 * members
    case "kill -9 while a broker is unavailable":
      return 4 * members
    default:
      return 2
  }
}

/** Counts reassignments. A fault may cause them until `aftermathMs` after its end. */
export function hitsBetween(
  faults: readonly Fault[],
  members: number,
  { from, to, aftermathMs }: { from: number; to: number; aftermathMs: number },
): number {
  return faults
    .filter(({ beganAt, endedAt }) => beganAt <= to && endedAt + aftermathMs >= from)
    .reduce((sum, { kind }) => sum + reassignments(kind, members), 0)
}
