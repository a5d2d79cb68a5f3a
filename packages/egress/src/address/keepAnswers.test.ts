import { beforeEach, expect, test, vi } from "vitest"
import { keepAnswers } from "./keepAnswers.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] })
  return () => vi.useRealTimers()
})

test("a name is asked for again when its answer has expired, at the latest after a minute", async () => {
  let asked = 0
  const lookUp = keepAnswers(async (name) => ({
    ips: [`1.1.1.${++asked}`],
    keepMs: name === "short.example" ? 5_000 : 3_600_000,
  }))
  const expectations: [name: string, afterMs: number, ip: string][] = [
    ["short.example", 0, "1.1.1.1"],
    ["long.example", 0, "1.1.1.2"],
    ["short.example", 4_999, "1.1.1.1"],
    ["short.example", 1, "1.1.1.3"],
    ["long.example", 54_999, "1.1.1.2"],
    ["long.example", 1, "1.1.1.4"],
  ]
  for (const [name, afterMs, ip] of expectations) {
    vi.advanceTimersByTime(afterMs)
    expect(await lookUp(name)).toEqual([ip])
  }
})

test("an error is not kept", async () => {
  const ask = vi.fn().mockRejectedValueOnce(new Error("no answer"))
  ask.mockResolvedValue({ ips: ["1.1.1.1"], keepMs: 1_000 })
  const lookUp = keepAnswers(ask)
  await expect(lookUp("partner.example")).rejects.toThrow("no answer")
  expect(await lookUp("partner.example")).toEqual(["1.1.1.1"])
})

test("beyond 10,000 names, the oldest answer is forgotten", async () => {
  const ask = vi.fn(async () => ({ ips: ["1.1.1.1"], keepMs: 60_000 }))
  const lookUp = keepAnswers(ask)
  for (let at = 0; at <= 10_000; at++) await lookUp(`${at}.example`)
  ask.mockClear()
  await lookUp("1.example")
  expect(ask).not.toHaveBeenCalled()
  await lookUp("0.example")
  expect(ask).toHaveBeenCalledOnce()
})
