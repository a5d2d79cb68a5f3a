import { randomInt } from "node:crypto"
import { expect, test } from "vitest"
import { runInbound } from "../src/inbound/runInbound.ts"
import { runOutbound } from "../src/outbound/runOutbound.ts"
import { runRestore } from "../src/restore/runRestore.ts"
import { settingsFor } from "../src/settings.ts"

// One after the other: each brings up a Postgres, a Kafka and half a dozen processes of its own. The seed is another in
// each run and is printed; `npm run chaos -- outbound --seed S --minutes 0.7` does the same faults again.
const timeout = 240_000
const seed = randomInt(1, 1_000_000)
const progress = (line: string) => void process.stderr.write(`chaos, seed ${seed}: ${line}\n`)
// How many faults fit in depends on the machine: a process takes from one second to fifteen to start.
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
