import { expect, test } from "vitest"
import { shortRun, shortRunTimeout } from "../shortRun.ts"
import { runSoak } from "./runSoak.ts"
import { type Sample, summarise } from "./sample.ts"

test("soak: both flows lose nothing under faults, and the samples contain memory, CPU time, descriptors, sizes and lateness", {
  timeout: shortRunTimeout,
}, async () => {
  const { signal } = new AbortController()
  const samples: Sample[] = []
  const { seed, progress } = shortRun()
  const run = { seed, progress, signal, samples, durationMs: 5_000, leastFaults: 2 }
  const { ledger, faults } = await runSoak(run)
  expect(ledger).toMatchObject({ lost: 0, forged: 0, forgotten: [], unfinished: 0, exits: 0, holds: true })
  expect(faults.length).toBeGreaterThanOrEqual(2)
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
