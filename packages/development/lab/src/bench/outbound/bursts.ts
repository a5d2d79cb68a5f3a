import { percentile } from "../../shared/percentile.ts"
import { atMost, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import { publishBacklog, publishPaced, startReceiving, startWarmDispatcher } from "./load.ts"

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

const partners = 12
const eventsEach = 60
const fastPerSecond = 10
/** The fast partner gets events from before the burst until after the burst's first attempts have timed out. */
const fastAmount = 13 * fastPerSecond
const rounds = 3

/**
 * Measures how long deliveries to a fast partner take while twelve others hang, each with a burst of events.
 * The result is the median of the rounds' slowest deliveries.
 */
export async function measureCrowd(it: Bench): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  await it.channel("fast", `${receiver.url}/timed`)
  const slowest: number[] = []
  for (let round = 0; round < rounds; round++) {
    const hanging = Array.from({ length: partners }, (_, at) => `hanging-${round}-${at}`)
    for (const id of hanging) await it.channel(id, `${receiver.url}/hang-${id}`)
    const dispatcher = await startWarmDispatcher(it, receiver, warmUp)
    const fast = publishPaced(it, { perSecond: fastPerSecond, amount: fastAmount, channels: ["fast"] })
    await publishBacklog(it, partners * eventsEach, hanging)
    await fast
    await receiver.reached(fastAmount)
    const { arrivals, hanging: attempts } = await receiver.take()
    const latencies = arrivals.map(({ latencyMs }) => latencyMs)
    const most = Math.max(...latencies)
    const p50 = percentile(latencies, 0.5).toFixed(0)
    it.progress(`${attempts} attempts hung; the fast partner's took ${p50} ms, at most ${most.toFixed(0)} ms`)
    slowest.push(most)
    await it.sql("update channel set paused_at = now() where id = any($1)", [hanging])
    await dispatcher.end()
  }
  const name = `slowest delivery to a fast partner, ${eventsEach} events each to ${partners} hanging ones, s`
  return [atMost(name, percentile(slowest, 0.5) / 1_000, 0.7, "s")]
}
