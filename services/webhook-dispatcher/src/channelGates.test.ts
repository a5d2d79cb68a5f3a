import { expect, test } from "vitest"
import { createChannelGates, type Entry } from "./channelGates.ts"

function gatesAt({ maxInFlight = 2, slowShare = 100 } = {}) {
  const clock = { now: 0 }
  const breakers: string[] = []
  const gates = createChannelGates({
    maxInFlight,
    slowShare,
    maxWaitMs: 1_000,
    breakerFailures: 3,
    breakerCooldownMs: 30_000,
    now: () => clock.now,
    onBreaker: (channel, state) => breakers.push(`${channel} ${state}`),
  })
  const enter = (channel: string) => Promise.resolve(gates.enter(channel))
  const entered = async (channel: string) => {
    const entry = await enter(channel)
    if (entry.kind !== "entered") throw new Error(`turned away: ${entry.why}`)
    return entry
  }
  return { clock, breakers, gates, enter, entered }
}

test("a channel that answers quickly is waited for, in order", async () => {
  const { clock, enter, entered } = gatesAt()
  const first = await entered("a")
  await entered("a")
  const order: string[] = []
  const third = enter("a").then((entry) => order.push(`third ${entry.kind}`))
  const fourth = enter("a").then((entry) => order.push(`fourth ${entry.kind}`))
  clock.now = 10
  first.leave("delivered")
  await third
  expect(order).toEqual(["third entered"])
  void fourth
})

test("a channel that hangs turns away what would wait too long, and others do not notice", async () => {
  const { clock, enter, entered } = gatesAt()
  await entered("hangs")
  await entered("hangs")
  clock.now = 5_000
  expect(await enter("hangs")).toEqual({ kind: "turned-away", why: "busy" })
  expect((await enter("other")).kind).toBe("entered")
})

test("a channel of which nothing is known gets eight at a time, and one more with each success", async () => {
  const { clock, gates, enter, entered } = gatesAt({ maxInFlight: 10 })
  const first = await Promise.all(Array.from({ length: 8 }, () => entered("a")))
  const waiting = Array.from({ length: 4 }, () => enter("a"))
  expect(gates.counts()).toMatchObject({ inFlight: 8, waiting: 4 })
  clock.now = 10
  for (const entry of first.slice(0, 3)) entry.leave("delivered")
  expect(gates.counts()).toMatchObject({ inFlight: 9, waiting: 0 })
  await Promise.all(waiting)
  await entered("a")
  void enter("a")
  expect(gates.counts()).toMatchObject({ inFlight: 10, waiting: 1 })
})

test("channels that are slow share half of the places, each has one at least, and the others have their own", async () => {
  const { clock, gates, enter, entered } = gatesAt({ maxInFlight: 8, slowShare: 12 })
  for (const channel of ["a", "b", "c"]) await entered(channel)
  for (let more = 0; more < 3; more++) await entered("a")
  clock.now = 5_000
  // Three are slow now: four places for each.
  expect(await enter("a")).toEqual({ kind: "turned-away", why: "busy" })
  for (let more = 0; more < 3; more++) await entered("b")
  expect(await enter("b")).toEqual({ kind: "turned-away", why: "busy" })
  expect(gates.roomOf("b")).toBe(0)
  for (let other = 0; other < 8; other++) await entered("quick")
  for (let other = 0; other < 20; other++) await entered(`slow-${other}`)
  clock.now = 10_000
  expect(await enter("slow-0")).toEqual({ kind: "turned-away", why: "busy" })
  expect((await enter("new")).kind).toBe("entered")
})

test("a channel that was slow and is quick again gets its places back", async () => {
  const { clock, entered } = gatesAt({ maxInFlight: 8, slowShare: 2 })
  const slow = [await entered("a"), await entered("b")]
  clock.now = 5_000
  for (const entry of slow) entry.leave("delivered")
  for (let answer = 0; answer < 10; answer++) (await entered("a")).leave("delivered")
  await Promise.all(Array.from({ length: 8 }, () => entered("a")))
})

test("failures in a row open the breaker; a probe closes it; the bound then grows with each success", async () => {
  const { clock, breakers, enter, entered } = gatesAt()
  for (let failure = 0; failure < 3; failure++) (await entered("a")).leave("failed")
  expect(breakers).toEqual(["a open"])
  expect(await enter("a")).toEqual({ kind: "turned-away", why: "breaker" })
  clock.now = 30_001
  const probe = await entered("a")
  expect(await enter("a")).toEqual({ kind: "turned-away", why: "breaker" })
  probe.leave("delivered")
  expect(breakers).toEqual(["a open", "a closed"])
  const only = await entered("a")
  let second: Entry | undefined
  const waiting = enter("a").then((entry) => {
    second = entry
  })
  await Promise.resolve()
  expect(second).toBeUndefined()
  only.leave("delivered")
  await waiting
  expect(second).toMatchObject({ kind: "entered" })
  await entered("a")
})

test("a failed probe doubles the cool-down", async () => {
  const { clock, enter, entered } = gatesAt()
  for (let failure = 0; failure < 3; failure++) (await entered("a")).leave("failed")
  clock.now = 30_001
  ;(await entered("a")).leave("failed")
  clock.now = 30_001 + 59_000
  expect((await enter("a")).kind).toBe("turned-away")
  clock.now = 30_001 + 60_001
  expect((await enter("a")).kind).toBe("entered")
})

test("attempts begun before the breaker opened are no probes: however many fail, the next one comes after the cool-down", async () => {
  const { clock, enter, entered } = gatesAt({ maxInFlight: 8 })
  const before = await Promise.all(Array.from({ length: 8 }, () => entered("a")))
  clock.now = 10_000
  for (const entry of before) entry.leave("failed")
  clock.now = 10_000 + 29_999
  expect((await enter("a")).kind).toBe("turned-away")
  clock.now = 10_000 + 30_001
  expect((await enter("a")).kind).toBe("entered")
})

test("an attempt that says nothing of the channel counts neither way", async () => {
  const { breakers, gates, entered } = gatesAt()
  for (let attempt = 0; attempt < 10; attempt++) (await entered("a")).leave("nothing")
  expect(breakers).toEqual([])
  expect(gates.counts()).toEqual({ inFlight: 0, waiting: 0, open: 0 })
})

test("a held channel turns away what waits, and then begins with one at a time", async () => {
  const { gates, enter, entered } = gatesAt()
  const before = [await entered("a"), await entered("a")]
  const waiting = enter("a")
  gates.hold("a")
  expect(await waiting).toEqual({ kind: "turned-away", why: "paused" })
  for (const entry of before) entry.leave("nothing")
  const first = await entered("a")
  let second: Entry | undefined
  const next = enter("a").then((entry) => {
    second = entry
  })
  await Promise.resolve()
  expect(second).toBeUndefined()
  first.leave("delivered")
  await next
  expect(second).toMatchObject({ kind: "entered" })
  // One more with each success: the second and a third.
  await entered("a")
})

test("what is known of a channel at fault, and who is in flight, outlast thousands of other channels", async () => {
  const { gates, enter, entered } = gatesAt()
  for (let failure = 0; failure < 3; failure++) (await entered("broken")).leave("failed")
  const [first] = [await entered("full"), await entered("full")]
  for (let other = 0; other < 5_000; other++) (await entered(`other-${other}`)).leave("delivered")
  expect(await enter("broken")).toEqual({ kind: "turned-away", why: "breaker" })
  const third = enter("full")
  expect(gates.counts()).toEqual({ inFlight: 2, waiting: 1, open: 1 })
  first.leave("delivered")
  expect((await third).kind).toBe("entered")
})
