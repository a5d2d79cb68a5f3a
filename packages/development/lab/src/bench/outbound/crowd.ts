import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure, percentile } from "../measure/measure.ts"
import { publishBacklog } from "./load/publishBacklog.ts"
import { publishPaced } from "./load/publishPaced.ts"
import { startReceiving } from "./receiver/startBenchReceiver.ts"

const partners = 12
const eventsEach = 60
const fastPerSecond = 10
/**
 * For this long, the fast partner gets events: from before the burst until after the burst's first attempts
 * have timed out.
 */
const seconds = 13
const rounds = 3
const warmUp = 5_000

/**
 * Measures how long deliveries to a fast partner take while twelve others hang, each with a burst of events.
 * The result is the median of the rounds' slowest deliveries.
 */
export async function measureCrowd(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  await it.channel("quick", `${receiver.url}/quick`)
  await it.channel("fast", `${receiver.url}/timed`)
  const slowest: number[] = []
  for (let round = 0; round < rounds; round++) {
    const hanging = Array.from({ length: partners }, (_, at) => `hanging-${round}-${at}`)
    for (const id of hanging) await it.channel(id, `${receiver.url}/hang-${id}`)
    const dispatcher = await it.start("dispatcher")
    await publishBacklog(it, warmUp, ["quick"])
    await receiver.reached(warmUp)
    await receiver.take()
    const amount = fastPerSecond * seconds
    const fast = publishPaced(it, { perSecond: fastPerSecond, amount, channels: ["fast"] })
    await publishBacklog(it, partners * eventsEach, hanging)
    await fast
    await receiver.reached(amount)
    const { arrivals, hanging: attempts } = await receiver.take()
    const latencies = arrivals.map(({ latencyMs }) => latencyMs)
    const most = Math.max(...latencies)
    const p50 = percentile(latencies, 0.5)
    progress(
      `${attempts} attempts hung; the fast partner's ${latencies.length} took ${p50.toFixed(0)} ms, at most ${most.toFixed(0)} ms`,
    )
    slowest.push(most)
    await it.sql("update channel set paused_at = now() where id = any($1)", [hanging])
    await dispatcher.end()
  }
  await receiver.end()
  return [
    judge(
      `slowest delivery to a fast partner, ${eventsEach} events each to ${partners} hanging ones, s`,
      percentile(slowest, 0.5) / 1_000,
      null,
      { kind: "value-at-most", bound: 0.7, unit: "s" },
    ),
  ]
}
