import { setTimeout as sleep } from "node:timers/promises"
import type { StartedBacking } from "@sitewire/backing"
import type { Random } from "./random.ts"
import type { Installation } from "./startInstallation.ts"
import type { Member } from "./startMember.ts"

export type FaultKind =
  | "kill -9"
  | "SIGSTOP"
  | "rebalance"
  | "broker stopped"
  | "one broker stopped"
  | "one broker paused"
  | "Postgres killed"
  | "Postgres restarted"
  | "exit"

/** What was done, to whom, and from when to when (milliseconds since the epoch). */
export type Fault = { kind: FaultKind; target: string; beganAt: number; endedAt: number }

export type FaultSettings = {
  random: Random
  it: Pick<Installation, "postgres" | "brokers">
  /** Those that are killed and paused. */
  members: Member[]
  /** Those that join their group for a while and leave it in good order. */
  extras: Member[]
  durationMs: number
  /** Between the end of one fault and the beginning of the next. */
  gapMs: [number, number]
  brokerAwayMs: [number, number]
  /** Of a process, or of one of several brokers. Longer than the session time-out of a group's member, which is 10 s. */
  pausedMs: [number, number]
  progress: (line: string) => void
}

/**
 * Does one fault after the other until the time is over: all kinds in a random order, then all again in another. Every
 * fault is healed before the next begins, but what it set going (a rejoin, a backlog) is not waited for.
 */
export async function driveFaults(settings: FaultSettings): Promise<Fault[]> {
  const { random, members, extras, durationMs, gapMs, progress } = settings
  const { postgres, brokers } = settings.it
  const startedAt = Date.now()
  const done: Fault[] = []
  const wait = ([from, to]: [number, number]) => sleep(random.between(from, to))

  async function stopBroker(): Promise<string> {
    const broker = random.pick(brokers)
    await broker.halt(random.pick(["orderly", "kill"]))
    await wait(settings.brokerAwayMs)
    await broker.resume()
    return brokerName(broker)
  }
  async function pauseBroker(): Promise<string> {
    const broker = random.pick(brokers)
    const { pid } = broker
    // 0 would be all of this run's own processes.
    if (!pid) throw new Error(`${brokerName(broker)} has no process that could be paused`)
    process.kill(pid, "SIGSTOP")
    await wait(settings.pausedMs)
    process.kill(pid, "SIGCONT")
    return brokerName(broker)
  }
  const brokerName = (broker: StartedBacking) =>
    brokers.length > 1 ? `broker-${brokers.indexOf(broker) + 1}` : "broker"

  const work: Partial<Record<FaultKind, () => Promise<string>>> = {
    async "kill -9"() {
      const member = random.pick(members)
      await member.kill()
      await wait([0, 3_000])
      await member.start()
      return member.name
    },
    async SIGSTOP() {
      const member = random.pick(members)
      member.pause()
      await wait(settings.pausedMs)
      member.unpause()
      return member.name
    },
    async rebalance() {
      const extra = random.pick(extras)
      await extra.start()
      await wait([1_000, 4_000])
      await extra.end()
      return extra.name
    },
    ...(brokers.length > 1
      ? { "one broker stopped": stopBroker, "one broker paused": pauseBroker }
      : { "broker stopped": stopBroker }),
    async "Postgres killed"() {
      await postgres.halt("kill")
      await wait([0, 3_000])
      await postgres.resume()
      return "Postgres"
    },
    async "Postgres restarted"() {
      await postgres.halt("orderly")
      await wait([0, 3_000])
      await postgres.resume()
      return "Postgres"
    },
  }

  const kinds = Object.keys(work) as FaultKind[]
  const isOver = () => Date.now() - startedAt > durationMs
  while (!isOver()) {
    // A process is what fails most, and the one kind that hits whatever is in its memory: twice in each round.
    for (const kind of random.shuffle([...kinds, "kill -9" as const])) {
      await wait(gapMs)
      if (isOver()) break
      const beganAt = Date.now()
      const target = (await work[kind]?.()) ?? ""
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
