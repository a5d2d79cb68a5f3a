import { atMost, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import { publishBacklog, startReceiving, startWarmDispatcher } from "./load.ts"

const amount = 2_000
const responseMs = 300
const warmUp = 5_000

/** Measures how long many events at once to a partner take. */
export async function measureBurst(it: Bench): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  await it.channel("slow", `${receiver.url}/slow-${responseMs}`)
  await startWarmDispatcher(it, receiver, warmUp)
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1_000
  await publishBacklog(it, amount, ["slow"])
  for (const share of [0.25, 0.5, 0.75]) {
    await receiver.reached(amount * share)
    it.progress(`${amount * share} of ${amount} responses after ${seconds().toFixed(1)} s`)
  }
  await receiver.reached(amount)
  const name = `${amount} at once to a partner that responds in ${responseMs} ms, s`
  return [atMost(name, seconds(), 20, "s")]
}
