import type { Fault, FaultKind } from "../../faults/driveFaults.ts"

/**
 * How often a fault makes the group reassign its partitions, or a dispatcher lose its claims: when a member is lost and when it is
 * back, or for each member that comes back to a broker; of several brokers also when it goes to another one. Postgres
 * and the console have no part in that.
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
 * How many reassignments may have hit what was made between these times. `aftermathMs`: for how long after its end a fault may go
 * on reassigning.
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
