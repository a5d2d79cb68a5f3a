import { setTimeout as sleep } from "node:timers/promises"
import { expect, test, vi } from "vitest"
import { watchDependency } from "./watchDependency.ts"

type Report = [available: boolean, why: string | undefined]

test("a dependency that does not respond in time is reported before its check ends, and again when it responds", async () => {
  const reports: Report[] = []
  let responseMs = 0
  const watch = watchDependency({
    check: () => sleep(responseMs),
    onState: (available, why) => reports.push([available, why]),
    everyMs: 20,
    timeoutMs: 200,
  })
  await vi.waitUntil(() => reports.length > 0)
  responseMs = 600
  await vi.waitUntil(() => reports.at(-1)?.[0] === false)
  expect(watch.isUnavailable()).toBe(true)
  responseMs = 0
  await vi.waitUntil(() => reports.at(-1)?.[0] === true)
  watch.stop()
  expect(reports.filter(([available]) => !available)).toEqual([[false, "no response within 200 ms"]])
})

test("failed work is reported at once and causes a check, and work that succeeds clears it", async () => {
  const reports: Report[] = []
  const check = vi.fn(async () => {})
  const watch = watchDependency({
    check,
    onState: (available, why) => reports.push([available, why]),
    everyMs: 60_000,
  })
  await expect(watch.observe(Promise.reject(new Error("refused")))).rejects.toThrow("refused")
  expect(reports.at(-1)).toEqual([false, "refused"])
  expect(check).toHaveBeenCalledOnce()
  expect(await watch.observe(Promise.resolve(1))).toBe(1)
  expect(reports.at(-1)).toEqual([true, undefined])
  watch.stop()
})

test("nothing is reported after the watch was stopped", async () => {
  const onState = vi.fn()
  const watch = watchDependency({ check: () => sleep(50), onState, everyMs: 10, timeoutMs: 20 })
  await vi.waitUntil(() => onState.mock.calls.length > 0)
  watch.stop()
  onState.mockClear()
  await sleep(100)
  expect(onState).not.toHaveBeenCalled()
})
