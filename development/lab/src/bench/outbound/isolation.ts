import { randomUUID } from "node:crypto"
import { percentile } from "../../shared/percentile.ts"
import { memoryMb } from "../../shared/processUsage.ts"
import type { Measure } from "../measure.ts"
import { measureInPairs, type Side } from "../measureInPairs.ts"
import type { Bench } from "../startBench.ts"
import { pacedWarmUp, publishPaced, startReceiving } from "./load.ts"
import type { Taken } from "./receiver.ts"

/** The latencies of the events that were published in the same second, in milliseconds. */
type Second = number[]

/**
 * Longer than an attempt's timeout, so that each phase has attempts in flight, timeouts, and circuit breakers
 * that open.
 */
const phaseSeconds = 12
/** Delays so long that no retry of one phase happens in another phase. */
const retryDelaysMs = [1_800_000, 3_600_000]

const perSecond = 300

/**
 * Measures the latency of healthy channels while others hang, relative to the same load while all respond. One
 * dispatcher gets the two loads alternately, in short phases. Each phase with hanging channels uses new ones, whose
 * circuit breakers are still closed. At its end they are paused, so that the next phase has no attempts to them.
 *
 * All channels get equally many events, unless more hang than not: then every other event is for a hanging one.
 */
async function measureIsolation(it: Bench, settings: IsolationSettings): Promise<Measure[]> {
  const { progress } = it
  const { hanging, healthy, bound } = settings
  const [receiver, hung] = [await startReceiving(it), await startReceiving(it)]
  await createRetryFiles(it)
  const responding = await it.channels(healthy, (at) => `${receiver.url}/timed-${at}`)
  const instead = await createChannels(it, Math.min(hanging, healthy), "instead", `${receiver.url}/responds`)
  const dispatcher = await it.start("dispatcher")
  await receiver.take()
  await publishPaced(it, { ...pacedWarmUp, channels: [...responding, ...instead] })
  await receiver.reached(pacedWarmUp.amount)

  async function runPhase(others: readonly string[], hangingCount: number): Promise<Second[]> {
    const channels = hanging > healthy ? alternate(responding, others) : [...responding, ...others]
    const amount = perSecond * phaseSeconds
    const hangs = new Set(hangingCount > 0 ? others : [])
    const responses = Array.from({ length: amount }, (_, at) => channels[at % channels.length] ?? "")
    await receiver.take()
    await publishPaced(it, { perSecond, amount, channels })
    await receiver.reached(responses.filter((channel) => !hangs.has(channel)).length)
    const { arrivals } = await receiver.take()
    const { hanging: attempts } = await hung.take()
    const seconds = latenciesBySecond(arrivals)
    const p99 = seconds.map((of) => percentile(of, 0.99).toFixed(0)).join(" ")
    progress(`${hangingCount} hang (${attempts} attempts): p99 by second ${p99} ms`)
    return seconds
  }
  const run = async (side: Side, pair: number): Promise<Second[]> => {
    if (side === "baseline") return runPhase(instead, 0)
    const ids = await createChannels(it, hanging, `hanging-${pair}`, `${hung.url}/hang`)
    const seconds = await runPhase(ids, hanging)
    await it.sql("update channel set paused_at = now() where id = any($1)", [ids])
    await hung.noneHangs()
    return seconds
  }
  const measure = await measureInPairs({
    measure: `p99 of ${healthy} healthy channels with ${hanging} hanging, ${perSecond} events/s, ms`,
    bound,
    pairs: { least: 4, most: 24 },
    run,
    statistic: (seconds) => percentile(seconds.flat(), 0.99),
    progress,
  })
  progress(`the dispatcher's memory: ${memoryMb(dispatcher.pid).peak.toFixed(0)} MB at most`)
  return [measure]
}

export const isolation = (settings: IsolationSettings) => ({
  about: `latency of ${settings.healthy} healthy channels, ${settings.hanging} hanging`,
  run: (it: Bench) => measureIsolation(it, settings),
  retryDelaysMs,
})

type IsolationSettings = { healthy: number; hanging: number; bound: number }

async function createChannels(it: Bench, count: number, name: string, address: string): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => `${name}-${at}`)
  for (const id of ids) await it.channel(id, `${address}-${id}`)
  return ids
}

function latenciesBySecond(arrivals: Taken["arrivals"]): Second[] {
  const begunAt = Math.min(...arrivals.map(({ publishedAt }) => publishedAt))
  const of: Second[] = Array.from({ length: phaseSeconds }, () => [])
  for (const { publishedAt, latencyMs } of arrivals)
    of[Math.min(phaseSeconds - 1, Math.floor((publishedAt - begunAt) / 1_000))]?.push(latencyMs)
  return of
}

/** One of each list in turn, as long as the longer one. */
function alternate(a: readonly string[], b: readonly string[]): string[] {
  return Array.from({ length: 2 * Math.max(a.length, b.length) }, (_, at) => {
    const list = at % 2 === 0 ? a : b
    return list[(at >> 1) % list.length] ?? ""
  })
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
