import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure, percentile } from "../measure/measure.ts"
import { countCost, describeCost, divide, totalOf } from "./cost.ts"
import { deliverBacklog } from "./load/deliverBacklog.ts"
import { publishPaced } from "./load/publishPaced.ts"
import { startReceiving } from "./receiver/startBenchReceiver.ts"

const amount = 50_000
const channelCount = 50
const perSecond = 200
const seconds = 30
const publishedSeconds = 15
const idleMs = 10_000

/**
 * Measures the CPU time per event at 200 events/s, relative to the CPU time per event of a backlog. A backlog
 * is published before its measurement begins, but the 200 events/s are published during theirs. So the
 * broker's CPU time for publishing is measured separately and subtracted.
 */
export async function measureSteady(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(channelCount, (at) => `${receiver.url}/timed-${at}`)
  const backlog = await deliverBacklog(it, receiver, { amount, channels, progress })
  const { dispatcher } = backlog
  const load = async (amount: number) => {
    await receiver.take()
    const counting = countCost(it, dispatcher)
    await publishPaced(it, { perSecond, amount, channels })
    await receiver.reached(amount)
    return counting()
  }
  await load(5 * perSecond)
  const steady = divide(await load(perSecond * seconds), perSecond * seconds)
  const { arrivals } = await receiver.take()
  const latencies = arrivals.map(({ latencyMs }) => latencyMs)
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(1))
  progress(`at ${perSecond}/s: ${describeCost(steady, "ms")} for each, p50 ${p50} ms, p99 ${p99} ms`)
  const counting = countCost(it, dispatcher)
  await new Promise((resolve) => setTimeout(resolve, idleMs))
  progress(`idle: ${describeCost(divide(counting(), idleMs / 1_000), "ms a second")}`)
  await dispatcher.end()
  const publishing = countCost(it, dispatcher)
  await publishPaced(it, { perSecond, amount: perSecond * publishedSeconds, channels })
  const published = publishing().broker / (perSecond * publishedSeconds)
  await receiver.end()
  progress(`publishing alone: ${published.toPrecision(3)} ms of the broker's CPU for each`)
  const value = totalOf(steady) - published
  const withPublishing = (totalOf(steady) / totalOf(backlog.cost)).toFixed(1)
  return [
    {
      ...judge(`CPU per event at ${perSecond}/s, relative to a backlog, ms`, value, totalOf(backlog.cost), {
        kind: "ratio-at-most",
        bound: 6,
      }),
      details:
        `${describeCost(steady, "ms")}, ${published.toPrecision(3)} of it for publishing (with that, ` +
        `${withPublishing} times); in the backlog ${describeCost(backlog.cost, "ms")}`,
    },
  ]
}
