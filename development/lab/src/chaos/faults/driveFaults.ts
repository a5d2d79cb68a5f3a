import { setTimeout as sleep } from "node:timers/promises"
import type { Random } from "../../shared/random.ts"

export type FaultKind =
  | "kill -9"
  | "SIGSTOP"
  | "rebalance"
  | "broker stopped"
  | "one broker stopped"
  | "one broker paused"
  | "Postgres killed"
  | "Postgres restarted"
  | "kill -9 while Postgres is unavailable"
  | "kill -9 while a broker is unavailable"
  | "kill -9 between a POST and its row"
  | "kill -9 between a row and its commit"
  | "kill -9 before a wait is written"
  | "console killed"
  | "retry topics recreated"
  | "RETRY_DELAYS changed"
  | "Postgres responds after 3 s"
  | "one partner's rows locked"
  | "erasure cancelled"
  | "clock set over midnight"
  | "days made and dropped"
  | "Postgres restored"
  | "exit"

/** Times are milliseconds since the epoch. */
export type Fault = { kind: FaultKind; target: string; beganAt: number; endedAt: number }

export type FaultWork = () => Promise<string>

export type FaultSettings = {
  random: Random
  faults: Partial<Record<FaultKind, FaultWork>>
  durationMs: number
  /** The faults go on until there have been that many, however slow the machine is. */
  leastFaults?: number | undefined
  gapMs: [number, number]
  progress: (line: string) => void
}

/** These kinds come first in the first round, because a short run may end within that round. */
const first: readonly FaultKind[] = [
  "kill -9 while Postgres is unavailable",
  "kill -9 while a broker is unavailable",
  "kill -9 between a POST and its row",
  "kill -9 between a row and its commit",
  "kill -9 before a wait is written",
  "retry topics recreated",
  "RETRY_DELAYS changed",
  "erasure cancelled",
  "Postgres responds after 3 s",
  "one partner's rows locked",
  "clock set over midnight",
  "days made and dropped",
]

/**
 * Causes one fault after another until the time is over. Each round has all kinds, in random order. The
 * consequences of a fault (a rebalance, a backlog) may outlast it.
 */
export async function driveFaults(settings: FaultSettings): Promise<Fault[]> {
  const { random, faults, durationMs, leastFaults = 0, gapMs, progress } = settings
  const startedAt = Date.now()
  const done: Fault[] = []
  const kinds = Object.keys(faults) as FaultKind[]
  const isOver = () => Date.now() - startedAt > durationMs && done.length >= leastFaults
  for (let round = 1; !isOver(); round++) {
    // `kill -9` comes twice in each round, because processes fail most often.
    const shuffled = random.shuffle([...kinds, "kill -9" as const])
    const order = round > 1 ? shuffled : shuffled.toSorted((a, b) => +first.includes(b) - +first.includes(a))
    for (const kind of order) {
      await sleep(random.between(...gapMs))
      if (isOver()) break
      const beganAt = Date.now()
      const target = (await faults[kind]?.()) ?? ""
      const endedAt = Date.now()
      done.push({ kind, target, beganAt, endedAt })
      const at = ((beganAt - startedAt) / 1_000).toFixed(1)
      progress(`${at.padStart(6)} s  ${kind}: ${target}, ${((endedAt - beganAt) / 1_000).toFixed(1)} s`)
    }
  }
  return done
}

export function countFaults(faults: readonly Fault[]): { fault: string; times: number; seconds: number }[] {
  const kinds = Map.groupBy(faults, ({ kind }) => kind)
  return [...kinds].map(([fault, of]) => ({
    fault,
    times: of.length,
    seconds: Math.round(of.reduce((sum, { beganAt, endedAt }) => sum + endedAt - beganAt, 0) / 1_000),
  }))
}
