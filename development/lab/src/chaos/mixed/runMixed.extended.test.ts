import { expect, test } from "vitest"
import { shortRun, shortRunTimeout } from "../run.ts"
import { runMixed } from "./runMixed.ts"

test("both flows: whatever is killed, paused or restarted, no event is lost, no 202 forgotten, no replaced token accepted, and each change heard in order", {
  timeout: shortRunTimeout,
}, async () => {
  const { ledger, faults, figures } = await runMixed({ ...shortRun(), leastFaults: 4 })
  expect(ledger).toMatchObject({
    lost: 0,
    forged: 0,
    forgotten: [],
    unfinished: 0,
    revived: 0,
    unexpected: 0,
  })
  expect(ledger).toMatchObject({ unheard: [], disordered: [], exits: 0, holds: true })
  expect(ledger.changes).toBeGreaterThan(0)
  expect(ledger.published).toBeGreaterThanOrEqual(500)
  expect(ledger.accepted).toBeGreaterThanOrEqual(200)
  expect(faults.length).toBeGreaterThanOrEqual(4)
  for (const name of [
    "MB scheduler-1",
    "cores gateway-1",
    "descriptors dispatcher-1",
    "table MB delivery",
    "p99 ms",
  ])
    expect(figures[name]?.largest, name).toBeGreaterThan(0)
})
