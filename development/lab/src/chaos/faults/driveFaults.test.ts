import type { SupervisedProcess } from "@sitewire/testkit/installation"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createRandom } from "../../shared/random.ts"
import { type CommonFaultSettings, commonFaults } from "./commonFaults.ts"
import { driveFaults, type FaultKind } from "./driveFaults.ts"

// A run waits for minutes, with node:timers/promises.
beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }))
afterEach(() => void vi.useRealTimers())

type Note = (what: string) => void

/** A process that only notes what is done to it. */
function member(name: string, note: Note): SupervisedProcess {
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
    pid: () => undefined,
  }
}

function backing(name: string, note: Note): CommonFaultSettings["it"]["servers"]["postgres"] {
  return {
    kind: "local",
    address: name,
    pid: undefined,
    stop: async () => note(`stop ${name}`),
    halt: async (how) => note(`halt ${name} ${how}`),
    resume: async () => note(`resume ${name}`),
  }
}

/** Drives thirty minutes of faults, and returns what was done to whom in each. */
async function drive(seed: number, brokers = 1) {
  vi.setSystemTime(0)
  let notes: string[] = []
  const done: string[] = []
  const note: Note = (what) => void notes.push(what)
  const random = createRandom(seed)
  const driving = driveFaults({
    random,
    faults: commonFaults({
      random,
      it: {
        servers: {
          postgres: backing("Postgres", note),
          brokers: Array.from({ length: brokers }, (_, at) => backing(`broker-${at + 1}`, note)),
        },
        delayPostgres: (ms) => note(`delay ${ms}`),
        async lockPartner() {
          note("lock rows")
          return { what: "rows", unlock: async () => note("unlock rows") }
        },
      },
      services: [[1, 2, 3].map((at) => member(`member-${at}`, note))],
      extras: [member("extra", note)],
      brokerDownMs: [20_000, 20_000],
      pausedMs: [11_000, 30_000],
      degradedMs: 60_000,
    }),
    durationMs: 30 * 60_000,
    gapMs: [2_000, 10_000],
    progress() {
      done.push(notes.join(", "))
      notes = []
    },
  })
  await vi.runAllTimersAsync()
  return { faults: await driving, done }
}

const seeds = [1, 2, 3, 4, 5]
/**
 * One member or all three are paused before an outage, continued and killed during it, and started before or
 * after its end.
 */
const killedDuring = (server: string) =>
  new RegExp(
    `^(pause member-\\d, ){1,3}halt ${server} (orderly|kill)(, unpause member-\\d){1,3}` +
      `(, kill member-\\d){1,3}(, (start member-\\d|resume ${server})){2,4}$`,
  )
const healed: Partial<Record<FaultKind, RegExp>> = {
  "kill -9": /^kill (member-\d), start \1$/,
  SIGSTOP: /^pause (member-\d), unpause \1$/,
  rebalance: /^start extra, end extra$/,
  "broker stopped": /^halt broker-1 (orderly|kill), resume broker-1$/,
  "one broker stopped": /^halt (broker-[123]) (orderly|kill), resume \1$/,
  // These servers have no process id, so they are stopped instead of frozen.
  "one broker paused": /^halt (broker-[123]) orderly, resume \1$/,
  "Postgres responds after 3 s": /^delay 3000, delay 0$/,
  "one partner's rows locked": /^lock rows, unlock rows$/,
  "Postgres killed": /^halt Postgres kill, resume Postgres$/,
  "Postgres restarted": /^halt Postgres orderly, resume Postgres$/,
  "kill -9 while Postgres is unavailable": killedDuring("Postgres"),
  "kill -9 while a broker is unavailable": killedDuring("broker-[123]"),
}
const onAll = [
  "kill -9",
  "kill -9",
  "SIGSTOP",
  "rebalance",
  "Postgres responds after 3 s",
  "one partner's rows locked",
  "Postgres killed",
  "Postgres restarted",
  "kill -9 while Postgres is unavailable",
  "kill -9 while a broker is unavailable",
]
const cases = seeds.flatMap((seed) => [
  { seed, brokers: 1, round: [...onAll, "broker stopped"].toSorted() },
  { seed, brokers: 3, round: [...onAll, "one broker stopped", "one broker paused"].toSorted() },
])

test.each(cases)(
  "with seed $seed and $brokers brokers every round has every kind of fault, and two kills",
  async ({ seed, brokers, round }) => {
    const { faults } = await drive(seed, brokers)
    const rounds = Math.floor(faults.length / round.length)
    expect(rounds).toBeGreaterThan(1)
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

test.each(cases)(
  "with seed $seed and $brokers brokers a run begins with the faults that overlap, and heals all that they did",
  async ({ seed, brokers }) => {
    const { faults, done } = await drive(seed, brokers)
    expect(
      faults
        .slice(0, 4)
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual([
      "Postgres responds after 3 s",
      "kill -9 while Postgres is unavailable",
      "kill -9 while a broker is unavailable",
      "one partner's rows locked",
    ])
    for (const notes of done.filter((_, at) => faults[at]?.kind.includes(" while "))) {
      const of = (what: string) =>
        notes.split(", ").flatMap((one) => (one.startsWith(what) ? one.split(" ")[1] : []))
      for (const done of ["pause", "unpause", "start"])
        expect(of(done).toSorted()).toEqual(of("kill").toSorted())
      expect(of("resume")).toEqual(of("halt"))
      expect(notes.indexOf("kill member")).toBeLessThan(notes.indexOf("resume"))
    }
  },
)

test("a run on a slow machine goes on until it has had the least number of faults", async () => {
  const random = createRandom(1)
  const faults = { SIGSTOP: async () => "a" }
  const progress = () => {}
  const driving = driveFaults({
    random,
    faults,
    durationMs: 1,
    leastFaults: 5,
    gapMs: [1_000, 1_000],
    progress,
  })
  await vi.runAllTimersAsync()
  expect(await driving).toHaveLength(5)
})
