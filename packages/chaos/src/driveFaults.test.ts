import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { driveFaults, type FaultKind, type FaultSettings } from "./driveFaults.ts"
import { createRandom } from "./random.ts"
import type { Member } from "./startMember.ts"

// A run takes minutes, nearly all of them waiting, and it waits with node:timers/promises.
beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type Note = (what: string) => void

/** Notes what is done to it instead of doing it. */
function member(name: string, note: Note): Member {
  return {
    name,
    addresses: () => ({}),
    kill: async () => note(`kill ${name}`),
    start: async () => note(`start ${name}`),
    pause: () => note(`pause ${name}`),
    unpause: () => note(`unpause ${name}`),
    async end() {
      note(`end ${name}`)
      return 0
    },
    exits: () => 0,
  }
}

function backing(name: string, note: Note, pid?: number): FaultSettings["it"]["postgres"] {
  return {
    kind: "local",
    address: name,
    pid,
    stop: async () => note(`stop ${name}`),
    halt: async (how) => note(`halt ${name} ${how}`),
    resume: async () => note(`resume ${name}`),
  }
}

/** Twenty minutes of faults, and what was done to whom in each. */
async function drive(seed: number, brokers = 1) {
  vi.setSystemTime(0)
  let notes: string[] = []
  const done: string[] = []
  const note: Note = (what) => void notes.push(what)
  vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
    note(`${signal} ${pid}`)
    return true
  })
  const driving = driveFaults({
    random: createRandom(seed),
    it: {
      postgres: backing("Postgres", note),
      brokers: Array.from({ length: brokers }, (_, at) => backing(`broker-${at + 1}`, note, at + 1)),
    },
    members: [1, 2, 3].map((at) => member(`member-${at}`, note)),
    extras: [member("extra", note)],
    durationMs: 20 * 60_000,
    gapMs: [2_000, 10_000],
    brokerAwayMs: [20_000, 20_000],
    pausedMs: [11_000, 30_000],
    progress() {
      done.push(notes.join(", "))
      notes = []
    },
  })
  await vi.runAllTimersAsync()
  return { faults: await driving, done }
}

const seeds = [1, 2, 3, 4, 5]
const healed: Partial<Record<FaultKind, RegExp>> = {
  "kill -9": /^kill (member-\d), start \1$/,
  SIGSTOP: /^pause (member-\d), unpause \1$/,
  rebalance: /^start extra, end extra$/,
  "broker stopped": /^halt broker-1 (orderly|kill), resume broker-1$/,
  "one broker stopped": /^halt (broker-[123]) (orderly|kill), resume \1$/,
  "one broker paused": /^SIGSTOP ([123]), SIGCONT \1$/,
  "Postgres killed": /^halt Postgres kill, resume Postgres$/,
  "Postgres restarted": /^halt Postgres orderly, resume Postgres$/,
}
const onAll = ["kill -9", "kill -9", "SIGSTOP", "rebalance", "Postgres killed", "Postgres restarted"]
const cases = seeds.flatMap((seed) => [
  { seed, brokers: 1, round: [...onAll, "broker stopped"].toSorted() },
  { seed, brokers: 3, round: [...onAll, "one broker stopped", "one broker paused"].toSorted() },
])

test.each(cases)(
  "with seed $seed and $brokers brokers every round has every kind of fault, and two kills",
  async ({ seed, brokers, round }) => {
    const { faults } = await drive(seed, brokers)
    const rounds = Math.floor(faults.length / round.length)
    expect(rounds).toBeGreaterThan(2)
    for (let at = 0; at < rounds * round.length; at += round.length) {
      const kinds = faults.slice(at, at + round.length).map(({ kind }) => kind)
      expect(kinds.toSorted()).toEqual(round)
    }
  },
)

test.each(cases)(
  "with seed $seed and $brokers brokers every fault is done, and healed before the next begins",
  async ({ seed, brokers }) => {
    const { faults, done } = await drive(seed, brokers)
    expect(done).toHaveLength(faults.length)
    let endedAt = 0
    for (const [at, fault] of faults.entries()) {
      expect(done[at]).toMatch(healed[fault.kind] ?? "a fault of another kind")
      expect(fault.beganAt).toBeGreaterThan(endedAt)
      endedAt = fault.endedAt
    }
  },
)

test("the same seed does the same to the same at the same times, and every other seed something else", async () => {
  const runs: Awaited<ReturnType<typeof drive>>[] = []
  for (const seed of seeds) {
    const first = await drive(seed)
    expect(await drive(seed)).toEqual(first)
    runs.push(first)
  }
  expect(new Set(runs.map(({ done }) => done.join("\n"))).size).toBe(seeds.length)
})
