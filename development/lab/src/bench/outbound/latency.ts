import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { percentile } from "../../shared/percentile.ts"
import { measureOtherLoad, memoryMb } from "../../shared/processUsage.ts"
import { atMost, judge, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import { pacedWarmUp, publishPaced, startReceiving } from "./load.ts"

const perSecond = 200
const amount = 30 * perSecond

/**
 * Measures the time from publishing to the arrival at the receiver, compared with a bare consumer that gets
 * the same load and posts to the same receiver.
 */
export async function measureLatency(it: Bench): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(50, (at) => `${receiver.url}/timed-${at}`)
  let published = 0
  let others = measureOtherLoad()
  // The bare consumer is measured before and after the dispatcher, because the machine's speed changes within
  // minutes.
  const before = await bareLatencies(amount / 2)
  report("bare consumer, first half", before)

  const dispatcher = await it.start("dispatcher")
  const latencies = await latenciesOf(amount)
  const { peak } = memoryMb(dispatcher.pid)
  report("dispatcher", latencies)
  await dispatcher.end()

  const after = await bareLatencies(amount / 2)
  report("bare consumer, second half", after)
  const bare = [...before, ...after]
  const line = (share: number, bound: number) => {
    const name = `p${share * 100} from publish to arrival at ${perSecond} events/s, ms`
    return judge(name, percentile(latencies, share), percentile(bare, share), "more-at-most", bound, "ms")
  }
  const name = `resident memory of the dispatcher, ${perSecond} events/s`
  return [line(0.5, 0.5), line(0.99, 2), atMost(name, peak, 200, "MB")]

  function report(what: string, of: readonly number[]): void {
    const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(of, share).toFixed(1))
    const share = `others took ${(100 * others()).toFixed(0)} % of the machine`
    it.progress(`${what}: ${of.length} events, p50 ${p50} ms, p99 ${p99} ms, at most ${most} ms; ${share}`)
    others = measureOtherLoad()
  }

  async function bareLatencies(amount: number): Promise<number[]> {
    const main = fileURLToPath(new URL("bareConsumer.ts", import.meta.url))
    const child = fork(main, [it.brokers.join(","), it.names.sitePaid, receiver.url])
    await once(child, "message")
    const latencies = await latenciesOf(amount)
    const exited = once(child, "exit")
    child.disconnect()
    await exited
    return latencies
  }

  /** A consumer first gets all events that were published before it started. */
  async function latenciesOf(amount: number): Promise<number[]> {
    await receiver.reached(published)
    for (const load of [pacedWarmUp, { perSecond, amount }]) {
      await receiver.take()
      await publishPaced(it, { ...load, channels })
      published += load.amount
      await receiver.reached(load.amount)
    }
    return (await receiver.take()).arrivals.map(({ latencyMs }) => latencyMs)
  }
}
