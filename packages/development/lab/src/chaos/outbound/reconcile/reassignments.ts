import type { Fault, FaultKind } from "../../faults/driveFaults.ts"

/**
 * How many reassignments one fault of this kind causes at most. In a reassignment, the consumer group moves
 * partitions to other members (dispatchers), or a dispatcher loses its claims on deliveries. It happens when
 * a member is lost, when it returns, and when a member reconnects to a broker. 0 for faults that affect only
 * Postgres or only the console.
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

/**
 * How many reassignments the faults may have caused, at most, between `from` and `to`. A fault may cause them
 * until `aftermathMs` after its end.
 */
export function hitsBetween(
  faults: readonly Fault[],
  members: number,
  { from, to, aftermathMs }: { from: number; to: number; aftermathMs: number },
): number {
  return faults
    .filter(({ beganAt, endedAt }) => beganAt <= to && endedAt + aftermathMs >= from)
    .reduce((sum, { kind }) => sum + reassignments(kind, members), 0)
}
