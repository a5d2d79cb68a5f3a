import { setTimeout as sleep } from "node:timers/promises"
import type { Random } from "../random.ts"

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
  | "console killed"
  | "retry topics recreated"
  | "RETRY_DELAYS changed"
  | "Postgres restored"
  | "exit"

/** What was done, to whom, and from when to when (milliseconds since the epoch). */
export type Fault = { kind: FaultKind; target: string; beganAt: number; endedAt: number }

/** Does the fault and heals it. Returns to whom it was done. */
export type FaultWork = () => Promise<string>

export type FaultSettings = {
  random: Random
  faults: Partial<Record<FaultKind, FaultWork>>
  durationMs: number
  /** Between the end of one fault and the beginning of the next. */
  gapMs: [number, number]
  progress: (line: string) => void
}

/** A short run may end within its first round, which therefore begins with these. */
const first: readonly FaultKind[] = [
  "kill -9 while Postgres is unavailable",
  "kill -9 while a broker is unavailable",
  "retry topics recreated",
  "RETRY_DELAYS changed",
]

/**
 * Does one fault after the other until the time is over: all kinds in a random order, then all again in another. Every
 * fault is healed before the next begins, but what it set going (a rejoin, a backlog) is not waited for.
 */
export async function driveFaults(settings: FaultSettings): Promise<Fault[]> {
  const { random, faults, durationMs, gapMs, progress } = settings
  const startedAt = Date.now()
  const done: Fault[] = []
  const kinds = Object.keys(faults) as FaultKind[]
  const isOver = () => Date.now() - startedAt > durationMs
  for (let round = 1; !isOver(); round++) {
    // A process is what fails most, and the one kind that hits whatever is in its memory: twice in each round.
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

/** How often each kind was done, and how long it took in all. */
export function countFaults(faults: readonly Fault[]): { fault: string; times: number; seconds: number }[] {
  const kinds = Map.groupBy(faults, ({ kind }) => kind)
  return [...kinds].map(([fault, of]) => ({
    fault,
    times: of.length,
    seconds: Math.round(of.reduce((sum, { beganAt, endedAt }) => sum + endedAt - beganAt, 0) / 1_000),
  }))
}
