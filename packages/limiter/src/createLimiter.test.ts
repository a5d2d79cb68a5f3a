import { expect, test } from "vitest"
import { createLimiter } from "./createLimiter.ts"
import type { Acquired } from "./permits.ts"

function limiterWith({
  maxConcurrency = 2,
  slowConcurrency = 100,
  unknownConcurrency = Number.POSITIVE_INFINITY,
  maxWaitMs = 1_000,
  breakerFailures = 3,
} = {}) {
  const clock = { now: 0 }
  const breakers: string[] = []
  const claims: string[] = []
  const limiter = createLimiter({
    maxConcurrency,
    slowConcurrency,
    unknownConcurrency,
    maxWaitMs,
    breakerFailures,
    breakerCooldownMs: 30_000,
    now: () => clock.now,
    onBreaker: (key, state) => breakers.push(`${key} ${state}`),
    onCapacity: (key) => claims.push(key),
  })
  const acquire = (key: string) => Promise.resolve(limiter.acquire(key))
  const acquired = async (key: string) => {
    const permit = await acquire(key)
    if (permit.kind !== "acquired") throw new Error(`rejected: ${permit.reason}`)
    return permit
  }
  return { clock, breakers, claims, limiter, acquire, acquired }
}

test("callers wait for a permit of a quick key, and get it in order", async () => {
  const { clock, acquire, acquired } = limiterWith()
  const first = await acquired("a")
  await acquired("a")
  const order: string[] = []
  const third = acquire("a").then((permit) => order.push(`third ${permit.kind}`))
  const fourth = acquire("a").then((permit) => order.push(`fourth ${permit.kind}`))
  clock.now = 10
  first.release("success")
  await third
  expect(order).toEqual(["third acquired"])
  void fourth
})

test("a key that hangs rejects callers that would wait too long, and other keys are not affected", async () => {
  const { clock, acquire, acquired } = limiterWith()
  await acquired("hangs")
  await acquired("hangs")
  clock.now = 5_000
  expect(await acquire("hangs")).toEqual({ kind: "rejected", reason: "busy" })
  expect((await acquire("other")).kind).toBe("acquired")
})

test("a new key gets eight permits, and one more with each success", async () => {
  const { clock, limiter, acquire, acquired } = limiterWith({ maxConcurrency: 10 })
  const first = await Promise.all(Array.from({ length: 8 }, () => acquired("a")))
  const waiting = Array.from({ length: 4 }, () => acquire("a"))
  expect(limiter.counts()).toMatchObject({ inFlight: 8, waiting: 4 })
  clock.now = 10
  for (const permit of first.slice(0, 3)) permit.release("success")
  expect(limiter.counts()).toMatchObject({ inFlight: 9, waiting: 0 })
  await Promise.all(waiting)
  await acquired("a")
  void acquire("a")
  expect(limiter.counts()).toMatchObject({ inFlight: 10, waiting: 1 })
})

test("slow keys share the permits for slow keys, each gets at least one, and quick keys are not limited by them", async () => {
  const { clock, limiter, acquire, acquired } = limiterWith({ maxConcurrency: 8, slowConcurrency: 12 })
  for (const key of ["a", "b", "c"]) await acquired(key)
  for (let more = 0; more < 3; more++) await acquired("a")
  clock.now = 5_000
  // Three are slow now: four permits for each.
  expect(await acquire("a")).toEqual({ kind: "rejected", reason: "busy" })
  for (let more = 0; more < 3; more++) await acquired("b")
  expect(await acquire("b")).toEqual({ kind: "rejected", reason: "busy" })
  expect(limiter.capacity("b")).toBe(0)
  for (let other = 0; other < 8; other++) await acquired("quick")
  for (let other = 0; other < 20; other++) await acquired(`slow-${other}`)
  clock.now = 10_000
  expect(await acquire("slow-0")).toEqual({ kind: "rejected", reason: "busy" })
  expect((await acquire("new")).kind).toBe("acquired")
})

test("however many keys hang, they hold a fixed number of permits, and a quick key gets all of its own", async () => {
  const { clock, limiter, acquired } = limiterWith({
    maxConcurrency: 8,
    slowConcurrency: 20,
    unknownConcurrency: 10,
    breakerFailures: Number.POSITIVE_INFINITY,
  })
  clock.now = 1
  const quick = await acquired("quick")
  clock.now = 10
  quick.release("success")
  const hanging: Extract<Acquired, { kind: "acquired" }>[] = []
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  /** Each key wants a permit, and has it until the end of the round. */
  async function attemptAll(): Promise<number> {
    for (let key = 0; key < 300; key++)
      void Promise.resolve(limiter.acquire(`hangs-${key}`)).then((permit) => {
        if (permit.kind === "acquired") hanging.push(permit)
      })
    await settled()
    return limiter.counts().inFlight
  }
  expect(await attemptAll()).toBe(10)
  // After a time-out a key is known to be slow. All slow keys share 20 permits, and those of unknown keys are for others.
  let most = 0
  for (let round = 0; round < 40; round++) {
    clock.now += 10_000
    for (const permit of hanging.splice(0)) permit.release("failure")
    most = Math.max(most, await attemptAll())
    const permits = await Promise.all(Array.from({ length: 8 }, () => acquired("quick")))
    for (const permit of permits) permit.release("unknown")
  }
  expect(most).toBe(30)
})

test("keys that have not responded yet take turns in each other's permits, and those that wait too long are rejected", async () => {
  const { clock, acquire, acquired } = limiterWith({ unknownConcurrency: 2, maxWaitMs: 100 })
  const first = [await acquired("a"), await acquired("b")]
  const order: string[] = []
  const waiting = ["c", "c", "d"].map((key) =>
    acquire(key).then((permit) => {
      order.push(`${key} ${permit.kind}`)
      return permit
    }),
  )
  clock.now = 5
  first[0]?.release("success")
  const next = await Promise.race(waiting)
  expect(order).toEqual(["c acquired"])
  if (next.kind === "acquired") next.release("unknown")
  await waiting[2]
  expect(order).toEqual(["c acquired", "d acquired"])
  clock.now = 200
  expect(await waiting[1]).toEqual({ kind: "rejected", reason: "busy" })
})

test("a slow key that becomes quick gets its permits back", async () => {
  const { clock, acquired } = limiterWith({ maxConcurrency: 8, slowConcurrency: 2 })
  const slow = [await acquired("a"), await acquired("b")]
  clock.now = 5_000
  for (const permit of slow) permit.release("success")
  for (let response = 0; response < 10; response++) (await acquired("a")).release("success")
  await Promise.all(Array.from({ length: 8 }, () => acquired("a")))
})

test("failures in a row open the breaker; a probe closes it; the limit then grows with each success", async () => {
  const { clock, breakers, acquire, acquired } = limiterWith()
  for (let failure = 0; failure < 3; failure++) (await acquired("a")).release("failure")
  expect(breakers).toEqual(["a open"])
  expect(await acquire("a")).toEqual({ kind: "rejected", reason: "breaker" })
  clock.now = 30_001
  const probe = await acquired("a")
  expect(await acquire("a")).toEqual({ kind: "rejected", reason: "breaker" })
  probe.release("success")
  expect(breakers).toEqual(["a open", "a closed"])
  const only = await acquired("a")
  let second: Acquired | undefined
  const waiting = acquire("a").then((permit) => {
    second = permit
  })
  await Promise.resolve()
  expect(second).toBeUndefined()
  only.release("success")
  await waiting
  expect(second).toMatchObject({ kind: "acquired" })
  await acquired("a")
})

test("a failed probe doubles the cool-down", async () => {
  const { clock, acquire, acquired } = limiterWith()
  for (let failure = 0; failure < 3; failure++) (await acquired("a")).release("failure")
  clock.now = 30_001
  ;(await acquired("a")).release("failure")
  clock.now = 30_001 + 59_000
  expect((await acquire("a")).kind).toBe("rejected")
  clock.now = 30_001 + 60_001
  expect((await acquire("a")).kind).toBe("acquired")
})

test("failures of permits from before the breaker opened do not delay the probe", async () => {
  const { clock, acquire, acquired } = limiterWith({ maxConcurrency: 8 })
  const before = await Promise.all(Array.from({ length: 8 }, () => acquired("a")))
  clock.now = 10_000
  for (const permit of before) permit.release("failure")
  clock.now = 10_000 + 29_999
  expect((await acquire("a")).kind).toBe("rejected")
  clock.now = 10_000 + 30_001
  expect((await acquire("a")).kind).toBe("acquired")
})

test("a release with an unknown outcome neither opens nor closes the breaker", async () => {
  const { breakers, limiter, acquired } = limiterWith()
  for (let permit = 0; permit < 10; permit++) (await acquired("a")).release("unknown")
  expect(breakers).toEqual([])
  expect(limiter.counts()).toEqual({ inFlight: 0, waiting: 0, open: 0 })
})

test("a paused key rejects waiting callers, and then starts with one permit", async () => {
  const { limiter, acquire, acquired } = limiterWith()
  const before = [await acquired("a"), await acquired("a")]
  const waiting = acquire("a")
  limiter.pause("a")
  expect(await waiting).toEqual({ kind: "rejected", reason: "paused" })
  for (const permit of before) permit.release("unknown")
  const first = await acquired("a")
  let second: Acquired | undefined
  const next = acquire("a").then((permit) => {
    second = permit
  })
  await Promise.resolve()
  expect(second).toBeUndefined()
  first.release("success")
  await next
  expect(second).toMatchObject({ kind: "acquired" })
  // After one success: two permits.
  await acquired("a")
})

test("the state of a failing key and of permits in flight is not dropped when there are thousands of other keys", async () => {
  const { limiter, acquire, acquired } = limiterWith()
  for (let failure = 0; failure < 3; failure++) (await acquired("broken")).release("failure")
  const [first] = [await acquired("full"), await acquired("full")]
  for (let other = 0; other < 5_000; other++) (await acquired(`other-${other}`)).release("success")
  expect(await acquire("broken")).toEqual({ kind: "rejected", reason: "breaker" })
  const third = acquire("full")
  expect(limiter.counts()).toEqual({ inFlight: 2, waiting: 1, open: 1 })
  first.release("success")
  expect((await third).kind).toBe("acquired")
})

test("capacity is what would be admitted now or within the longest wait, minus the callers that wait already", async () => {
  const { clock, limiter, acquire, acquired } = limiterWith({ maxConcurrency: 4 })
  // Before the first response: four permits, and a queue of twice as many.
  expect(limiter.capacity("a")).toBe(12)
  const permit = await acquired("a")
  expect(limiter.capacity("a")).toBe(11)
  clock.now = 300
  permit.release("success")
  // 60 ms (a fifth of 300) each: 66 may wait behind four.
  expect(limiter.capacity("a")).toBe(4 + 66)
  for (let more = 0; more < 4; more++) await acquired("a")
  expect(limiter.capacity("a")).toBe(66)
  for (let more = 0; more < 10; more++) void acquire("a")
  expect(limiter.capacity("a")).toBe(56)
  for (let more = 0; more < 56; more++) void acquire("a")
  expect(limiter.capacity("a")).toBe(0)
  expect(await acquire("a")).toEqual({ kind: "rejected", reason: "busy" })
})

test("a caller that claims work whenever onCapacity is called, and needs 10 ms for it, leaves no permit idle", async () => {
  const { clock, limiter, claims } = limiterWith({ maxConcurrency: 8 })
  let deferred = 1_000
  const inFlight: { until: number; release: (outcome: "success") => void }[] = []
  const claim = () => {
    const claimed = Math.min(limiter.capacity("a"), deferred)
    deferred -= claimed
    for (let each = 0; each < claimed; each++)
      void Promise.resolve(limiter.acquire("a")).then((permit) => {
        // The key has become slower since this work was claimed.
        if (permit.kind === "rejected") deferred += 1
        else inFlight.push({ until: clock.now + 300, ...permit })
      })
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  claim()
  await settled()
  while (deferred > 0) {
    expect(limiter.counts().inFlight).toBe(8)
    if (claims.splice(0).length > 0) claim()
    clock.now += 10
    while (inFlight[0] && inFlight[0].until <= clock.now) inFlight.shift()?.release("success")
    await settled()
  }
})

test("an open breaker reports capacity for one probe when its cool-down is over and nothing is in flight", async () => {
  const { clock, limiter, acquired } = limiterWith({ maxConcurrency: 8 })
  clock.now = 1_000
  const before = await acquired("a")
  for (let failure = 0; failure < 3; failure++) (await acquired("a")).release("failure")
  expect(limiter.isOpen("a")).toBe(true)
  expect(limiter.isOpen("b")).toBe(false)
  expect(limiter.openBreakers()).toEqual([{ key: "a", openedAt: 1_000, probeDue: false }])
  clock.now = 31_000
  expect(limiter.capacity("a")).toBe(0)
  before.release("unknown")
  expect(limiter.capacity("a")).toBe(1)
  expect(limiter.openBreakers()).toEqual([{ key: "a", openedAt: 1_000, probeDue: true }])
  const probe = await acquired("a")
  expect(limiter.capacity("a")).toBe(0)
  probe.release("failure")
  expect(limiter.openBreakers()).toEqual([{ key: "a", openedAt: 1_000, probeDue: false }])
  clock.now = 91_000
  ;(await acquired("a")).release("success")
  expect(limiter.openBreakers()).toEqual([])
})

test("no caller waits if the longest wait is 0, and no failure opens a breaker that needs infinitely many", async () => {
  const { limiter, acquire, acquired } = limiterWith({ maxWaitMs: 0, breakerFailures: Infinity })
  expect(limiter.capacity("a")).toBe(2)
  await acquired("a")
  const second = await acquired("a")
  expect(limiter.capacity("a")).toBe(0)
  expect(await acquire("a")).toEqual({ kind: "rejected", reason: "busy" })
  second.release("failure")
  for (let failure = 0; failure < 100; failure++) (await acquired("a")).release("failure")
  expect(limiter.counts()).toEqual({ inFlight: 1, waiting: 0, open: 0 })
})

test("onCapacity is called after a release that leaves capacity, but not while the queue is more than half full", async () => {
  const { claims, acquire, acquired } = limiterWith()
  const first = await acquired("a")
  const second = await acquired("a")
  // Before the first response, four may wait.
  for (let waiting = 0; waiting < 3; waiting++) void acquire("a")
  first.release("unknown")
  expect(claims).toEqual([])
  second.release("failure")
  expect(claims).toEqual(["a"])
})

test("keys that fail, are slow or have a reduced limit are unusual, and a forgotten key starts anew", async () => {
  const { clock, limiter, acquired } = limiterWith({ maxConcurrency: 8 })
  ;(await acquired("quick")).release("success")
  ;(await acquired("failed")).release("failure")
  for (let failure = 0; failure < 3; failure++) (await acquired("broken")).release("failure")
  limiter.pause("paused")
  const permit = await acquired("slow")
  clock.now = 5_000
  permit.release("success")
  const hangs = await acquired("hangs")
  expect(limiter.unusual().toSorted()).toEqual(["broken", "failed", "paused", "slow"])
  clock.now = 5_500
  expect(limiter.unusual()).toContain("hangs")
  expect(limiter.status("hangs")).toMatchObject({ inFlight: 1 })
  hangs.release("success")
  await acquired("broken").catch(() => {})
  expect(limiter.status("broken")).toMatchObject({ openedAt: 0, failures: 3, inFlight: 0 })
  expect(limiter.status("slow")).toMatchObject({ openedAt: null, failures: 0, averageMs: 1_000 })
  limiter.forget("broken")
  expect(limiter.status("broken")).toEqual(limiter.status("new"))
  expect(limiter.counts().open).toBe(0)
})

test("a breaker that is closed because the key works elsewhere admits all, and opens again with the next failure", async () => {
  const { breakers, claims, limiter, acquire, acquired } = limiterWith()
  for (let count = 0; count < 3; count++) (await acquired("a")).release("failure")
  expect(await acquire("a")).toEqual({ kind: "rejected", reason: "breaker" })
  limiter.close("a")
  limiter.close("unknown")
  expect(claims.at(-1)).toBe("a")
  const permit = await acquired("a")
  permit.release("failure")
  expect(breakers).toEqual(["a open", "a closed", "a open"])
})
