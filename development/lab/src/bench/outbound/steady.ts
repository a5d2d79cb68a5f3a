import { setTimeout as sleep } from "node:timers/promises"
import { percentile } from "../../shared/percentile.ts"
import { judge, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import { countCost, describeCost, divide, totalOf } from "./cost.ts"
import { deliverBacklog, publishPaced, startReceiving } from "./load.ts"

const perSecond = 200
const amount = 30 * perSecond
const publishedAlone = 15 * perSecond
const idleMs = 10_000

/**
 * Measures the CPU time per event at 200 events/s, relative to the CPU time per event of a backlog. A backlog
 * is published before its measurement begins, but the 200 events/s are published during theirs. So the
 * broker's CPU time for publishing is measured separately and subtracted.
 */
export async function measureSteady(it: Bench): Promise<Measure[]> {
  const { progress } = it
  const receiver = await startReceiving(it)
  const channels = await it.channels(50, (at) => `${receiver.url}/timed-${at}`)
  const backlog = await deliverBacklog(it, receiver, { amount: 50_000, channels, end: false })
  const { dispatcher } = backlog
  const load = async (amount: number) => {
    await receiver.take()
    const counting = countCost(it, dispatcher)
    await publishPaced(it, { perSecond, amount, channels })
    await receiver.reached(amount)
    return counting()
  }
  await load(5 * perSecond)
  const steady = divide(await load(amount), amount)
  const latencies = (await receiver.take()).arrivals.map(({ latencyMs }) => latencyMs)
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(latencies, share).toFixed(1))
  progress(`at ${perSecond}/s: ${describeCost(steady)} for each, p50 ${p50} ms, p99 ${p99} ms`)
  const counting = countCost(it, dispatcher)
  await sleep(idleMs)
  progress(`idle: ${describeCost(divide(counting(), idleMs / 1_000), "ms a second")}`)
  await dispatcher.end()
  const publishing = countCost(it, dispatcher)
  await publishPaced(it, { perSecond, amount: publishedAlone, channels })
  const published = publishing().broker / publishedAlone
  const inBacklog = totalOf(backlog.cost)
  const withPublishing = (totalOf(steady) / inBacklog).toFixed(1)
  const details =
    `${describeCost(steady)}, ${published.toPrecision(3)} of it for publishing (with that, ${withPublishing} times); ` +
    `in the backlog ${describeCost(backlog.cost)}`
  progress(details)
  const name = `CPU per event at ${perSecond}/s, relative to a backlog, ms`
  return [{ ...judge(name, totalOf(steady) - published, inBacklog, "ratio-at-most", 6), details }]
}
