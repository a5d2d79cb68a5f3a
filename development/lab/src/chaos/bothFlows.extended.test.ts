import { expect, test } from "vitest"
import { runInbound } from "./inbound/runInbound.ts"
import { runOutbound } from "./outbound/runOutbound.ts"
import { shortRun, shortRunTimeout } from "./shortRun.ts"

test("outbound: whatever is killed, paused, lost or sent again, nothing is lost or forged and no chain forks", {
  timeout: shortRunTimeout,
}, async () => {
  const { ledger, faults } = await runOutbound({ ...shortRun(), leastFaults: 4, deliveries: 2_000 })
  expect(ledger).toMatchObject({ published: 2_000, lost: [], forged: [], forked: [], misrecorded: [] })
  expect(ledger).toMatchObject({ unsent: [], stranded: [], withoutCarrier: [], unheard: [], uncommitted: 0 })
  expect(ledger.duplicates).toBeLessThanOrEqual(ledger.bound)
  expect(ledger.resends).toBeGreaterThan(0)
  expect(ledger.deferred).toMatchObject({ breaker: expect.any(Number), paused: expect.any(Number) })
  expect(faults.length).toBeGreaterThanOrEqual(4)
})

test("inbound: whatever is killed, paused or restarted, no 202 is forgotten, no two syncs are too close, and each change is heard in order", {
  timeout: shortRunTimeout,
}, async () => {
  const { ledger, faults } = await runInbound({ ...shortRun(), leastFaults: 4 })
  expect(ledger).toMatchObject({ forgotten: [], tooClose: [], revived: [], rejected: [], waiting: [] })
  expect(ledger).toMatchObject({ unheard: [], disordered: [] })
  expect(ledger.changes).toBeGreaterThan(0)
  expect(ledger.accepted).toBeGreaterThanOrEqual(200)
  expect(faults.length).toBeGreaterThanOrEqual(4)
})
