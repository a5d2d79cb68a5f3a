import { setTimeout as sleep } from "node:timers/promises"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { type Measure, percentile } from "../measure/measure.ts"
import { publishBacklog } from "../outbound/load/publishBacklog.ts"
import { publishPaced } from "../outbound/load/publishPaced.ts"
import { type Receiving, startReceiving } from "../outbound/receiver/startBenchReceiver.ts"
import { figure } from "./figures.ts"
import { withReplicas } from "./withReplicas.ts"

/**
 * The share of a core that each dispatcher has. So little that Postgres, Kafka, the receiver and the load have enough of
 * two cores beside three dispatchers.
 */
const share = 0.15
/** For each dispatcher. */
const warmUp = 30_000
const backlogSeconds = 15
/** More than one dispatcher with this share delivers in that time. */
const backlogEach = 20_000
const perSecond = 100
const pacedSeconds = 20

/** How deliveries a second, and the time to the arrival, change with one, two and three dispatchers. */
export async function sizeDispatchers(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(50, (at) => `${receiver.url}/timed-${at}`)
  const measures: Measure[] = []
  for (const count of [1, 2, 3]) {
    await publishBacklog(it, count * (warmUp + backlogEach), channels)
    await receiver.take()
    const start = () => it.start("dispatcher")
    const { rate, latencies } = await withReplicas(count, start, async (limit) => {
      // Until V8 has compiled the code, in each of them.
      await receiver.reached(count * warmUp)
      await limit(share)
      const rate = await countSeconds(receiver, backlogSeconds)
      await receiver.reached(count * (warmUp + backlogEach))
      await receiver.take()
      await publishPaced(it, { perSecond, amount: perSecond * pacedSeconds, channels })
      await receiver.reached(perSecond * pacedSeconds)
      return { rate, latencies: (await receiver.take()).arrivals.map(({ latencyMs }) => latencyMs) }
    })
    const of = `${count} ${count === 1 ? "dispatcher" : "dispatchers"} with ${share} of a core each`
    progress(`${of}: ${Math.round(rate)}/s`)
    measures.push(
      figure(`deliveries a second from a backlog, ${of}`, rate),
      figure(`p50 from publish to arrival at ${perSecond} events/s, ms, ${of}`, percentile(latencies, 0.5)),
      figure(`p99 from publish to arrival at ${perSecond} events/s, ms, ${of}`, percentile(latencies, 0.99)),
    )
  }
  await receiver.end()
  return measures
}

async function countSeconds({ reached }: Receiving, seconds: number): Promise<number> {
  // The first second is left out: a dispatcher may still send what it read before.
  await sleep(1_000)
  const [from, startedAt] = [await reached(0), performance.now()]
  await sleep(seconds * 1_000)
  return (1_000 * ((await reached(0)) - from)) / (performance.now() - startedAt)
}
