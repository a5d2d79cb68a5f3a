import { randomInt } from "node:crypto"
import { expect, test } from "vitest"
import { runInbound } from "./inbound/runInbound.ts"
import { runOutbound } from "./outbound/runOutbound.ts"
import { runRestore } from "./restore/runRestore.ts"
import { settingsFor } from "./run.ts"
import { runSoak } from "./soak/runSoak.ts"
import { type Sample, summarise } from "./soak/sample.ts"

// Each test starts a Postgres, a Kafka and half a dozen services, and prints its new seed.
// `npm run chaos -- outbound --seed S --minutes 0.3` repeats the same faults. On a busy machine, the runs last longer, but
// have as many faults, events and triggers. Nothing but a run that hangs reaches this limit.
const timeout = 1_200_000
const seed = randomInt(1, 1_000_000)
const progress = (line: string) => void process.stderr.write(`chaos, seed ${seed}: ${line}\n`)
const settings = { ...settingsFor(0.3), seed, brokerCount: 1, progress }

test("outbound: whatever is killed, paused, lost or sent again, nothing is lost or forged and no chain forks", {
  timeout,
}, async () => {
  const { ledger, faults } = await runOutbound({ ...settings, leastFaults: 4, deliveries: 2_000 })
  expect(ledger).toMatchObject({ published: 2_000, lost: [], forged: [], forked: [], misrecorded: [] })
  expect(ledger).toMatchObject({ unsent: [], stranded: [], withoutCarrier: [], uncommitted: 0 })
  expect(ledger.duplicates).toBeLessThanOrEqual(ledger.bound)
  expect(ledger.resends).toBeGreaterThan(0)
  expect(ledger.deferred).toMatchObject({ breaker: expect.any(Number), paused: expect.any(Number) })
  expect(faults.length).toBeGreaterThanOrEqual(4)
})

test("inbound: whatever is killed, paused or restarted, no 202 is forgotten and no two syncs are too close", {
  timeout,
}, async () => {
  const { ledger, faults } = await runInbound({ ...settings, leastFaults: 4 })
  expect(ledger).toMatchObject({ forgotten: [], tooClose: [], revived: [], rejected: [], waiting: [] })
  expect(ledger.accepted).toBeGreaterThanOrEqual(200)
  expect(faults.length).toBeGreaterThanOrEqual(4)
})

test("restore: an older copy of Postgres and the runbook's steps lose no event and no 202, without retry topics too", {
  timeout,
}, async () => {
  const { ledger, faults } = await runRestore(settings)
  expect(ledger).toMatchObject({
    lost: 0,
    forged: 0,
    forgotten: [],
    unfinished: 0,
    uncommitted: 0,
    holds: true,
  })
  expect(ledger.published).toBeGreaterThanOrEqual(500)
  expect(ledger.accepted).toBeGreaterThanOrEqual(100)
  expect(faults.filter(({ kind }) => kind === "Postgres restored")).toHaveLength(2)
})

test("soak: both flows lose nothing under faults, and the samples contain memory, CPU time, descriptors, sizes and lateness", {
  timeout,
}, async () => {
  const { signal } = new AbortController()
  const samples: Sample[] = []
  const run = { seed, progress, signal, samples, durationMs: 20_000, leastFaults: 3 }
  const { ledger, faults } = await runSoak(run)
  expect(ledger).toMatchObject({ lost: 0, forged: 0, forgotten: [], unfinished: 0, exits: 0, holds: true })
  expect(faults.length).toBeGreaterThanOrEqual(3)
  const figures = summarise(samples)
  const names = ["dispatcher-1", "gateway-1", "scheduler-1"].flatMap((of) => [`MB ${of}`, `cores ${of}`])
  for (const name of [
    ...names,
    "descriptors dispatcher-1",
    "table MB delivery",
    "index MB delivery",
    "p99 ms",
  ])
    expect(figures[name]?.largest, name).toBeGreaterThan(0)
  expect(Object.keys(figures)).toEqual(expect.arrayContaining(["oldest due sync s", "oldest due attempt s"]))
})
