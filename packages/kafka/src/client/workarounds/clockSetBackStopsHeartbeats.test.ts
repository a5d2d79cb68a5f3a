import { expect, onTestFinished, test, vi } from "vitest"
import { committedOffsets, makeTopic, realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { until } from "../../../test/fixtures/until.ts"
import { startConsumer } from "../../consumer/startConsumer.ts"
import { startProducer } from "../../producer/startProducer.ts"
import { createClient } from "../createClient.ts"
import { endAfterClockSetBack } from "./clockSetBackStopsHeartbeats.ts"

test("a consumer whose clock is set back by a minute joins its group again, and commits", async () => {
  let setBackMs = 0
  const right = Date.now
  const clock = vi.spyOn(Date, "now").mockImplementation(() => right() - setBackMs)
  onTestFinished(() => clock.mockRestore())
  const kafka = realBroker()
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  const producer = await startProducer({ kafka })
  onTestFinished(() => producer.close(1_000))
  const health: [boolean, string | undefined][] = []
  const consumer = await startConsumer({
    kafka,
    group,
    topics: [{ topic }],
    maxOutstanding: 10,
    sessionTimeoutMs: 6_000,
    onRecords: (records, done) => records.forEach(done),
    onHealth: (healthy, why) => health.push([healthy, why]),
  })
  onTestFinished(() => consumer.close(100).then(() => {}))
  setBackMs = 60_000
  // Without heartbeats, the broker removes the member after 6 s.
  await until(() => health.length === 3)
  expect(health.map(([healthy]) => healthy)).toEqual([true, false, true])
  expect(health[1]?.[1]).toMatch(/set back by 60 s/)
  await producer.publish([{ topic, key: null, value: "x" }])
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "1")
})

test("a membership ends only if the clock is set back by more than half the session timeout", () => {
  vi.useFakeTimers({ toFake: ["Date", "performance", "setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const limits = { requestTimeoutMs: 1_000, retries: 0 }
  const consumer = createClient(realBroker(), limits).consumer({ groupId: uniqueName("group") })
  const ends: string[] = []
  const watch = endAfterClockSetBack(consumer, 6_000, (why) => ends.push(why))
  onTestFinished(() => watch.stop())
  const set = (byMs: number) => vi.setSystemTime(Date.now() + byMs)
  set(-2_000)
  vi.advanceTimersByTime(3_600_000)
  set(60_000)
  vi.advanceTimersByTime(3_600_000)
  expect(ends).toEqual([])
  set(-62_000)
  vi.advanceTimersByTime(1_000)
  expect(ends).toEqual(["the machine's clock was set back by 4 s"])
})
