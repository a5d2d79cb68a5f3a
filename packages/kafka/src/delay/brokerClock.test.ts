import fc from "fast-check"
import { expect, test } from "vitest"
import { makeTopic, realBroker } from "../../test/fixtures/realBroker.ts"
import { connectKafka } from "../client/connectKafka.ts"
import { dispatchRecords } from "../consumer/dispatchRecords.ts"
import { limitOutstanding } from "../consumer/limitOutstanding.ts"
import { startProducer } from "../producer/startProducer.ts"
import type { ConsumerRecord } from "../record.ts"
import { createBrokerClock } from "./brokerClock.ts"

const hour = 3_600_000
const start = Date.parse("2030-01-01T00:00:00Z")

/** A simulated machine. Its clock is `aheadMs` ahead of the brokers' until it is set. */
function machine(aheadMs = 0) {
  let elapsed = 0
  let suspended = 0
  let ahead = aheadMs
  const brokers = () => start + elapsed + suspended
  const clock = createBrokerClock({ wall: () => brokers() + ahead, monotonic: () => elapsed })
  return {
    clock,
    pass(ms: number) {
      elapsed += ms
    },
    /** The monotonic clock stops meanwhile. */
    suspend(ms: number) {
      suspended += ms
    },
    set(toAheadMs: number) {
      ahead = toAheadMs
    },
    brokers,
    monotonic: () => elapsed,
    error: () => clock.now() - brokers(),
  }
}

test.each([hour, 10_000, -10_000, -hour])(
  "setting the clock by %i ms while records wait moves none of them, once a new record was read",
  (byMs) => {
    const it = machine()
    it.clock.read(it.brokers() - 20)
    it.pass(50_000)
    it.set(byMs)
    for (let n = 0; n < 100; n++) {
      it.pass(60_000)
      expect(it.error()).toBeLessThanOrEqual(0)
      expect(it.error()).toBeGreaterThanOrEqual(-20)
    }
  },
)

test("setting the clock ahead makes no record early, even if none was read", () => {
  const it = machine()
  it.set(hour)
  it.pass(60_000)
  expect(it.error()).toBe(0)
  it.set(0)
  expect(it.error()).toBe(0)
})

test("partitions that are assigned while the clock is ahead are not due early", async () => {
  const it = machine()
  const dispatched: ConsumerRecord[] = []
  const ignore = () => {}
  const dispatch = dispatchRecords({
    limit: limitOutstanding(10),
    delayMsOf: () => hour,
    onRecords: (records) => dispatched.push(...records),
    pause: ignore,
    resume: ignore,
    onHandlerError: ignore,
    clock: it.clock,
  })
  const partition = { topic: "delayed", partition: 0 }
  const record = {
    ...partition,
    offset: "0",
    key: null,
    value: null,
    headers: {},
    original: { key: null, headers: {} },
    appendedAt: it.brokers(),
    timeFrom: "broker" as const,
  }
  const fetched = {
    ...partition,
    records: [record],
    lastOffset: record.offset,
    resolveOffset: ignore,
    heartbeat: async () => {},
  }
  it.pass(60_000)
  it.set(2 * hour)
  dispatch.assign([partition])
  await dispatch.onFetched(fetched)
  expect(dispatched).toEqual([])
  it.pass(hour)
  dispatch.assign([partition])
  await dispatch.onFetched(fetched)
  expect(dispatched).toEqual([record])
})

test("after the machine was suspended, records are late until a new one is read", () => {
  const it = machine()
  it.clock.acknowledged(it.brokers(), it.monotonic())
  it.suspend(hour)
  expect(it.error()).toBe(-hour)
  it.pass(60_000)
  it.clock.read(it.brokers() - 5)
  expect(it.error()).toBe(-5)
})

test("a clock that was ahead at the start counts as soon as it is corrected", () => {
  const it = machine(hour)
  it.clock.read(it.brokers() - 20 * 60_000)
  expect(it.error()).toBe(hour)
  it.set(0)
  expect(it.error()).toBe(0)
})

test("while a clock is set back, the estimate is late by at most the age of the newest record", () => {
  const it = machine()
  it.clock.read(it.brokers() - 40_000)
  it.set(-hour)
  expect(it.error()).toBe(-40_000)
  it.set(0)
  expect(it.error()).toBe(0)
})

test("a clock that is behind is corrected by the first new record that is read", () => {
  const it = machine(-hour)
  it.clock.read(it.brokers() - 20 * 60_000)
  expect(it.error()).toBe(-20 * 60_000)
  it.pass(1_000)
  it.clock.read(it.brokers() - 5)
  expect(it.error()).toBe(-5)
})

test("a clock that is ahead is corrected by the first record that is acknowledged", () => {
  const it = machine(hour)
  const sentAt = it.monotonic()
  it.pass(8)
  const appendedAt = it.brokers()
  it.pass(4)
  it.clock.acknowledged(appendedAt, sentAt)
  expect(it.error()).toBe(-4)
})

test("after a broker's clock was set, the next acknowledgement corrects the estimate", () => {
  const it = machine()
  for (const brokerAheadMs of [0, hour, -hour, 500, 0]) {
    it.pass(1_000)
    it.clock.acknowledged(it.brokers() + brokerAheadMs, it.monotonic() - 3)
    expect(Math.abs(it.error() - brokerAheadMs)).toBeLessThanOrEqual(4)
  }
})

test("whatever is observed and however the clock is set or stopped, the estimate is never further ahead of the brokers than at the start", () => {
  const step = fc.record({
    passMs: fc.nat({ max: 100_000 }),
    suspendMs: fc.option(fc.nat({ max: hour })),
    setMs: fc.option(fc.integer({ min: -hour, max: hour })),
    ageMs: fc.option(fc.nat({ max: 100_000 })),
    tookMs: fc.option(fc.nat({ max: 2_000 })),
  })
  fc.assert(
    fc.property(fc.integer({ min: -hour, max: hour }), fc.array(step), (aheadMs, steps) => {
      const it = machine(aheadMs)
      let confirmedWithin = Math.max(0, aheadMs)
      for (const { passMs, suspendMs, setMs, ageMs, tookMs } of steps) {
        it.pass(passMs)
        if (suspendMs !== null) it.suspend(suspendMs)
        if (setMs !== null) it.set(setMs)
        if (ageMs !== null) it.clock.read(it.brokers() - ageMs)
        if (tookMs !== null) {
          it.clock.acknowledged(it.brokers(), it.monotonic() - tookMs)
          confirmedWithin = Math.min(confirmedWithin, tookMs + 1)
        }
        expect(it.error()).toBeLessThanOrEqual(confirmedWithin)
      }
    }),
  )
})

test("publishing to a topic with LogAppendTime corrects the connection's clock; to one with CreateTime it does not", async () => {
  const [stamped, unstamped] = await Promise.all([
    makeTopic(realBroker(), { config: { "message.timestamp.type": "LogAppendTime" } }),
    makeTopic(realBroker(), { config: { "message.timestamp.type": "CreateTime" } }),
  ])
  const clock = createBrokerClock({ wall: () => Date.now() + hour, monotonic: () => performance.now() })
  const kafka = { ...connectKafka(realBroker()), clock }
  const producer = await startProducer({ kafka })
  await producer.publish([{ topic: unstamped, key: null, value: "x" }])
  expect(clock.now() - Date.now()).toBeGreaterThan(hour - 600_000)
  await producer.publish([{ topic: stamped, key: null, value: "x" }])
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(600_000)
  await producer.close(1_000)
})
