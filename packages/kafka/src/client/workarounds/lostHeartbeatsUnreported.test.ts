import { expect, onTestFinished, test, vi } from "vitest"
import { realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { createClient } from "../createClient.ts"
import { watchHeartbeats } from "./lostHeartbeatsUnreported.ts"

// kafkaOutage.test.ts observes a consumer whose broker is silent.
test.each([3_600_000, -3_600_000])(
  "setting the clock by %i ms does not change how long a consumer was silent",
  (byMs) => {
    vi.useFakeTimers({ toFake: ["Date", "performance", "setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const limits = { requestTimeoutMs: 1_000, retries: 0 }
    const consumer = createClient(realBroker(), limits).consumer({ groupId: uniqueName("group") })
    const silences: number[] = []
    const watch = watchHeartbeats(consumer, 6_000, (silentMs) => silences.push(silentMs))
    onTestFinished(() => watch.stop())
    vi.setSystemTime(Date.now() + byMs)
    vi.advanceTimersByTime(6_000)
    expect(silences).toEqual([])
    vi.advanceTimersByTime(1_000)
    expect(silences).toEqual([7_000])
  },
)
