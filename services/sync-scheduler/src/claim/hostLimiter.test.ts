import { expect, test } from "vitest"
import { createHostLimiter } from "./hostLimiter.ts"

const windowMs = 60_000

function startLimiter() {
  let ms = 0
  const hosts = createHostLimiter({
    ...{ maxRunning: 64, maxPerHost: 32, deadlineMs: 50_000, windowMs },
    now: () => ms,
  })
  function fail(host: string, times: number): void {
    for (let failure = 0; failure < times; failure++) hosts.acquire({ host, slow: false })?.("failure")
  }
  function pass(windows: number): void {
    for (let window = 0; window < windows; window++) {
      ms += windowMs
      hosts.free(0)
    }
  }
  return { hosts, fail, pass }
}

test("a host is forgotten if none of its connections is synced for longer than the longest wait after a failure", () => {
  const { hosts, fail, pass } = startLimiter()
  fail("gone.example", 8)
  fail("down.example", 8)
  expect(hosts.openBreakers()).toBe(2)
  for (let probe = 0; probe < 3; probe++) {
    pass(16)
    fail("down.example", 1)
  }
  expect(hosts.openBreakers()).toBe(1)
  expect(hosts.free(0).hosts).toMatchObject([{ host: "down.example" }])
})

test("a host that failed less often, or whose sync was running meanwhile, is forgotten as well", () => {
  const { hosts, fail, pass } = startLimiter()
  const release = hosts.acquire({ host: "slow.example", slow: false })
  fail("failing.example", 7)
  pass(2)
  release?.("failure")
  pass(20)
  fail("failing.example", 7)
  fail("slow.example", 7)
  expect(hosts.openBreakers()).toBe(0)
})
