import { randomUUID } from "node:crypto"
import { percentile } from "../../shared/percentile.ts"
import { memoryMb } from "../../shared/processUsage.ts"
import type { Measure } from "../measure.ts"
import { measureInPairs, type Side } from "../measureInPairs.ts"
import type { Bench } from "../startBench.ts"
import { publishPaced, startReceiving } from "./load.ts"
import { concurrency } from "./throughput.ts"

const channelCount = 11
/**
 * Longer than an attempt's timeout, so that each phase has attempts in flight, timeouts, and circuit breakers
 * that open.
 */
const phaseSeconds = 12
/**
 * Events before the measurement: enough for the dispatcher's heap to grow to its full size. The growth takes
 * 30 ms, which would count as latency.
 */
const warmUp = { perSecond: 2_000, amount: 12_000 }
/** An attempt's default timeout. */
const timeoutSeconds = 10

/** Delays so long that no retry of one phase happens in another phase. */
export const isolationRetryDelaysMs = [1_800_000, 3_600_000]

export const usualRate = 300
/**
 * At this many events/s for all channels together, a single channel gets twice as many events within an
 * attempt's timeout as a dispatcher may have outstanding (read, but not finished).
 */
export const fillingRate = Math.ceil(((2 * concurrency) / timeoutSeconds) * channelCount)

/** The latencies of the healthy channels' events that were published in the same second. */
type Second = number[]

/**
 * Measures the latency of healthy channels while others hang, relative to the same load while all respond. One
 * dispatcher gets the two loads alternately, in short phases. Each phase with hanging channels uses new ones, whose
 * circuit breakers are still closed. At its end they are paused, so that the next phase has no attempts to them.
 */
export async function measureIsolation(
  it: Bench,
  { hanging, perSecond, bound }: { hanging: number; perSecond: number; bound: number },
): Promise<Measure[]> {
  const { progress } = it
  const receiver = await startReceiving(it)
  const healthyCount = channelCount - hanging
  await createRetryFiles(it)
  const pathOf = (at: number) => (at < healthyCount ? `timed-${at}` : `responds-${at}`)
  const responding = await it.channels(channelCount, (at) => `${receiver.url}/${pathOf(at)}`)
  const dispatcher = await it.start("dispatcher")
  await receiver.take()
  await publishPaced(it, { ...warmUp, channels: responding })
  await receiver.reached(warmUp.amount)

  async function runPhase(channels: readonly string[], count: number): Promise<Second[]> {
    const each = Math.floor((perSecond * phaseSeconds) / channels.length)
    await receiver.take()
    await publishPaced(it, { perSecond, amount: each * channels.length, channels })
    await receiver.reached(each * count)
    const { arrivals, hanging: attempts } = await receiver.take()
    const begunAt = Math.min(...arrivals.map(({ publishedAt }) => publishedAt))
    const seconds: Second[] = Array.from({ length: phaseSeconds }, () => [])
    for (const { publishedAt, latencyMs } of arrivals)
      seconds[Math.min(phaseSeconds - 1, Math.floor((publishedAt - begunAt) / 1_000))]?.push(latencyMs)
    const bySecond = seconds.map((of) => percentile(of, 0.99).toFixed(0)).join(" ")
    progress(`${channels.length - count} hang (${attempts} attempts): p99 by second ${bySecond} ms`)
    return seconds
  }
  const run = async (side: Side, pair: number): Promise<Second[]> => {
    if (side === "baseline") return runPhase(responding, channelCount)
    const ids = Array.from({ length: hanging }, (_, at) => `hanging-${pair}-${at}`)
    for (const id of ids) await it.channel(id, `${receiver.url}/hang-${id}`)
    const seconds = await runPhase([...responding.slice(0, healthyCount), ...ids], healthyCount)
    await it.sql("update channel set paused_at = now() where id = any($1)", [ids])
    await receiver.noneHangs()
    return seconds
  }
  const measure = await measureInPairs({
    measure: `p99 of healthy channels with ${hanging} of ${channelCount} hanging, ${perSecond} events/s, ms`,
    bound,
    pairs: { least: 4, most: 12 },
    run,
    statistic: (seconds) => percentile(seconds.flat(), 0.99),
    progress,
  })
  progress(`the dispatcher's memory: ${memoryMb(dispatcher.pid).peak.toFixed(0)} MB at most`)
  return [measure]
}

/**
 * Publishes records to all partitions of a retry topic. The first record of a partition creates files, which
 * would delay other records by tens of milliseconds.
 */
async function createRetryFiles(it: Bench): Promise<void> {
  const due = { attempt: 1, failures: 0, since: new Date().toISOString(), correlation: "first" }
  const records = Array.from({ length: 100 }, () => {
    const delivery = randomUUID()
    return { topic: it.names.retry[0] ?? "", key: delivery, value: JSON.stringify({ delivery, ...due }) }
  })
  await it.publish(records)
}
