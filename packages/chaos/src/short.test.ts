import { randomInt } from "node:crypto"
import { expect, test } from "vitest"
import { runInbound } from "./inbound/run.ts"
import { runOutbound } from "./outbound/run.ts"
import { settingsFor } from "./settings.ts"

// One after the other: each brings up a Postgres, a Kafka and half a dozen processes of its own. The seed is another in
// each run and is printed; `npm run chaos -- outbound --seed S --minutes 0.7` does the same faults again.
const timeout = 240_000
const seed = randomInt(1, 1_000_000)
const progress = (line: string) => void process.stderr.write(`chaos, seed ${seed}: ${line}\n`)
const settings = { seed, brokers: 1, progress, ...settingsFor(0.7) }

test("outbound: whatever is killed, paused or restarted, nothing is lost or forged and no chain forks", {
  timeout,
}, async () => {
  const { ledger, faults } = await runOutbound({ ...settings, deliveries: 3_000 })
  expect(ledger).toMatchObject({ published: 3_000, lost: [], forged: [], forked: [], misrecorded: [] })
  expect(ledger.uncommitted).toBe(0)
  expect(ledger.duplicates).toBeLessThanOrEqual(ledger.bound)
  expect(faults.length).toBeGreaterThan(2)
})

test("inbound: whatever is killed, paused or restarted, no 202 is forgotten and no two syncs are too close", {
  timeout,
}, async () => {
  const { ledger, faults } = await runInbound(settings)
  expect(ledger).toMatchObject({ forgotten: [], tooClose: [], revived: [], refused: [], waiting: [] })
  expect(ledger.accepted).toBeGreaterThan(500)
  expect(faults.length).toBeGreaterThan(2)
})
