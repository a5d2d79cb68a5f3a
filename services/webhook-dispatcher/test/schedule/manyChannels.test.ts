import { expect, test } from "vitest"
import { second } from "../fixtures/scheduleExpectations.ts"
import { simulate } from "../fixtures/simulatedDispatcher.ts"

const loadMs = 30 * second

/** The waits of healthy channels' events (in ms, ascending) in half a minute, at 20 a second, beside 80 a second to channels that hang. */
async function waitsBeside(hanging: number): Promise<number[]> {
  using it = simulate({
    respond: ({ event }) =>
      event.startsWith("hangs") ? { status: 504, tookMs: 10 * second } : { status: 204 },
  })
  const publishedAt = new Map<string, number>()
  const publishEvery = (everyMs: number, kind: string, channels: number) => {
    for (let at = 0; at * everyMs < loadMs; at++)
      it.after(at * everyMs, () => {
        publishedAt.set(`${kind} ${at}`, it.elapsed())
        it.publish(`${kind} ${at}`, `${kind}-${at % channels}`)
      })
  }
  publishEvery(50, "healthy", 20)
  if (hanging > 0) publishEvery(12.5, "hangs", hanging)
  await it.advance(loadMs + 15 * second)
  const firsts = it.attempts.filter(({ event, number }) => event.startsWith("healthy") && number === 1)
  expect(firsts).toHaveLength(loadMs / 50)
  return firsts.map(({ event, at }) => at - (publishedAt.get(event) ?? 0)).sort((a, b) => a - b)
}

test("beside 1,000 channels that hang, events of healthy channels are sent as soon as without them", async () => {
  const [alone, beside] = [await waitsBeside(0), await waitsBeside(1_000)]
  const p99 = (waits: readonly number[]) => waits[Math.floor(0.99 * waits.length)] ?? Number.NaN
  expect(p99(beside)).toBeLessThanOrEqual(1.5 * p99(alone))
  expect(beside.at(-1)).toBeLessThan(second)
})
