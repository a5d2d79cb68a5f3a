import { randomUUID } from "node:crypto"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { memoryMb } from "../machine/processUsage.ts"
import { type Measure, percentile } from "../measure/measure.ts"
import { measureInPairs, type Side } from "../measure/measureInPairs.ts"
import { concurrency } from "./concurrency.ts"
import { publishPaced } from "./load/publishPaced.ts"
import { type Receiving, startReceiving } from "./receiver/startBenchReceiver.ts"

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
const warmUp = 12_000
const warmUpPerSecond = 2_000
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

export type Isolation = { hanging: number; perSecond: number; bound: number }

/** The latencies of the healthy channels' events that were published in the same second. */
type Second = number[]

/**
 * Measures the latency of healthy channels while others hang, relative to the same load while all respond.
 * One dispatcher gets the two loads alternately, in short phases. Each phase with hanging channels uses new
 * ones, whose circuit breakers are still closed. At its end they are paused, so that the next phase has no
 * attempts to them.
 */
export async function measureIsolation(
  it: Installation,
  { hanging, perSecond, bound }: Isolation,
  { progress }: BenchOptions,
): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const healthyCount = channelCount - hanging
  await createRetryFiles(it)
  const channels = await it.channels(channelCount, (at) =>
    at < healthyCount ? `${receiver.url}/timed-${at}` : `${receiver.url}/responds-${at}`,
  )
  const healthy = channels.slice(0, healthyCount)
  const dispatcher = await it.start("dispatcher")
  await receiver.take()
  await publishPaced(it, { perSecond: warmUpPerSecond, amount: warmUp, channels })
  await receiver.reached(warmUp)

  const run = async (side: Side, pair: number): Promise<Second[]> => {
    if (side === "baseline")
      return runPhase(it, receiver, { perSecond, channels, responding: channelCount }, progress)
    const ids = Array.from({ length: hanging }, (_, at) => `hanging-${pair}-${at}`)
    for (const id of ids) await it.channel(id, `${receiver.url}/hang-${id}`)
    const all = [...healthy, ...ids]
    const seconds = await runPhase(
      it,
      receiver,
      { perSecond, channels: all, responding: healthyCount },
      progress,
    )
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
  await dispatcher.end()
  await receiver.end()
  return [measure]
}

/**
 * Publishes records to all partitions of a retry topic. The first record of a partition creates files, which
 * would delay other records by tens of milliseconds.
 */
async function createRetryFiles(it: Installation): Promise<void> {
  const due = { attempt: 1, failures: 0, since: new Date().toISOString(), correlation: "first" }
  const topic = it.names.retry[0] ?? ""
  const deliveries = Array.from({ length: 100 }, () => randomUUID())
  await it.publish(
    deliveries.map((delivery) => ({ topic, key: delivery, value: JSON.stringify({ delivery, ...due }) })),
  )
}

async function runPhase(
  it: Installation,
  receiver: Receiving,
  { perSecond, channels, responding }: { perSecond: number; channels: readonly string[]; responding: number },
  progress: (line: string) => void,
): Promise<Second[]> {
  const amount = Math.floor((perSecond * phaseSeconds) / channels.length) * channels.length
  await receiver.take()
  await publishPaced(it, { perSecond, amount, channels })
  await receiver.reached((amount / channels.length) * responding)
  const { arrivals, hanging } = await receiver.take()
  const begunAt = Math.min(...arrivals.map(({ publishedAt }) => publishedAt))
  const seconds: Second[] = Array.from({ length: phaseSeconds }, () => [])
  for (const { publishedAt, latencyMs } of arrivals) {
    const second = Math.min(phaseSeconds - 1, Math.floor((publishedAt - begunAt) / 1_000))
    seconds[second]?.push(latencyMs)
  }
  const bySecond = seconds.map((of) => percentile(of, 0.99).toFixed(0)).join(" ")
  progress(`${channels.length - responding} hang (${hanging} attempts): p99 by second ${bySecond} ms`)
  return seconds
}
