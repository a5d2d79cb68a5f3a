import { expect, test } from "vitest"
import { shortRun, shortRunTimeout } from "../run.ts"
import { runOutbound } from "./runOutbound.ts"

test("outbound: whatever is killed, paused, lost or sent again, nothing is lost or forged and no chain forks", {
  timeout: shortRunTimeout,
}, async () => {
  const { ledger, faults } = await runOutbound({ ...shortRun(), leastFaults: 4, deliveries: 1_200 })
  expect(ledger).toMatchObject({ published: 1_200, lost: [], forged: [], forked: [], misrecorded: [] })
  expect(ledger).toMatchObject({ unsent: [], stranded: [], withoutCarrier: [], unheard: [], uncommitted: 0 })
  expect(ledger.duplicates).toBeLessThanOrEqual(ledger.bound)
  expect(ledger.resends).toBeGreaterThan(0)
  expect(ledger.deferred).toMatchObject({ breaker: expect.any(Number), paused: expect.any(Number) })
  expect(faults.length).toBeGreaterThanOrEqual(4)
})
