import { randomInt } from "node:crypto"
import { expect, test } from "vitest"
import { runInbound } from "../../src/chaos/inbound/runInbound.ts"
import { runOutbound } from "../../src/chaos/outbound/runOutbound.ts"
import { runRestore } from "../../src/chaos/restore/runRestore.ts"
import { settingsFor } from "../../src/chaos/settings.ts"
import { runSoak } from "../../src/chaos/soak/runSoak.ts"
import type { Sample } from "../../src/chaos/soak/sample.ts"
import { summarise } from "../../src/chaos/soak/summarise.ts"

// The tests run one after the other, because each starts a Postgres, a Kafka and half a dozen services. Each
// run prints its new seed. `npm run chaos -- outbound --seed S --minutes 0.7` repeats the same faults.
const timeout = 240_000
const seed = randomInt(1, 1_000_000)
const progress = (line: string) => void process.stderr.write(`chaos, seed ${seed}: ${line}\n`)
// The number of faults depends on the machine, because a process takes from 1 to 15 s to start.
const settings = { seed, brokerCount: 1, progress }

test("outbound: whatever is killed, paused, lost or sent again, nothing is lost or forged and no chain forks", {
  timeout,
}, async () => {
  const { ledger, faults } = await runOutbound({ ...settings, ...settingsFor(0.7), deliveries: 3_000 })
  expect(ledger).toMatchObject({ published: 3_000, lost: [], forged: [], forked: [], misrecorded: [] })
  expect(ledger).toMatchObject({ unsent: [], stranded: [], uncommitted: 0 })
  expect(ledger.duplicates).toBeLessThanOrEqual(ledger.bound)
  expect(ledger.resends).toBeGreaterThan(0)
  expect(ledger.deferred).toMatchObject({ breaker: expect.any(Number), paused: expect.any(Number) })
  expect(faults.length).toBeGreaterThan(0)
})

test("inbound: whatever is killed, paused or restarted, no 202 is forgotten and no two syncs are too close", {
  timeout,
}, async () => {
  const { ledger, faults } = await runInbound({ ...settings, ...settingsFor(0.7) })
  expect(ledger).toMatchObject({ forgotten: [], tooClose: [], revived: [], rejected: [], waiting: [] })
  expect(ledger.accepted).toBeGreaterThan(100)
  expect(faults.length).toBeGreaterThan(0)
})

test("restore: an older copy of Postgres and the runbook's steps lose no event and no 202, without retry topics too", {
  timeout,
}, async () => {
  const { ledger, faults } = await runRestore({ ...settings, ...settingsFor(0.4) })
  expect(ledger).toMatchObject({ lost: [], forged: [], forgotten: [], tooClose: [], waiting: [] })
  expect(ledger).toMatchObject({ misrecorded: [], stranded: [], uncommitted: 0 })
  expect(ledger.published).toBeGreaterThan(500)
  expect(ledger.accepted).toBeGreaterThan(100)
  expect(faults.filter(({ kind }) => kind === "Postgres restored")).toHaveLength(2)
})

test("soak: both flows lose nothing under faults, and the samples contain memory, CPU time, descriptors, sizes and lateness", {
  timeout,
}, async () => {
  const { signal } = new AbortController()
  const samples: Sample[] = []
  const { ledger, faults } = await runSoak({ seed, progress, signal, samples, durationMs: 40_000 })
  expect(ledger).toMatchObject({ lost: 0, forged: 0, forgotten: [], unfinished: 0, exits: 0, holds: true })
  expect(ledger.published).toBeGreaterThan(2_000)
  expect(ledger.accepted).toBeGreaterThan(500)
  expect(faults.length).toBeGreaterThan(0)
  const { memory_mb, cores, descriptors, tables_mb, p99_ms } = summarise(samples)
  expect(Object.keys(memory_mb)).toEqual(expect.arrayContaining(["dispatcher-1", "gateway-1", "scheduler-1"]))
  expect(cores["dispatcher-1"]?.median).toBeGreaterThan(0)
  expect(cores["dispatcher-1"]?.p95).toBeLessThan(2)
  expect(descriptors["dispatcher-1"]?.largest).toBeGreaterThan(10)
  expect(tables_mb.delivery?.last).toBeGreaterThan(0)
  expect(p99_ms.median).toBeGreaterThan(0)
})
