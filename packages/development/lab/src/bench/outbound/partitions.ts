import { setTimeout as sleep } from "node:timers/promises"
import { topicNames } from "@sitewire/contracts"
import { deleteTopics, ensureTopics } from "@sitewire/kafka"
import { percentile } from "../../shared/percentile.ts"
import { figure, type Measure, round } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import {
  type Cost,
  countCost,
  describeCost,
  divide,
  publishBacklog,
  publishPaced,
  type Receiving,
  startReceiving,
  totalOf,
} from "./load.ts"

const counts = [6, 24]
const rates = [20, 200, 1_000]
const seconds = 20
const warmUp = 10_000

/** What was measured with one number of partitions, by name: CPU time and latencies, in milliseconds. */
type Figures = Map<string, number>

/**
 * Measures what the partitions of site.paid cost: at rest, and for an event at 20, 200 and 1,000 a second. Each number of partitions
 * is measured twice, in the order 6, 24, 24, 6, because the machine's speed changes within minutes. The CPU time includes what
 * publishing costs the broker.
 */
export async function measurePartitions(it: Bench): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(50, (at) => `${receiver.url}/timed-${at}`)
  const measured: { partitions: number; figures: Figures }[] = []
  for (const [round, partitions] of [...counts, ...counts.toReversed()].entries()) {
    const names = topicNames({ prefix: `round-${round}.`, retryDelaysMs: [] })
    const own = { ...it, names: { ...it.names, sitePaid: names.sitePaid } }
    await it.setUp({ TOPIC_PREFIX: `round-${round}.` })
    await deleteTopics(it.kafka, [names.sitePaid])
    const config = { "message.timestamp.type": "LogAppendTime" }
    await ensureTopics({ kafka: it.kafka, topics: [{ name: names.sitePaid, partitions, config }] })
    const dispatcher = await it.start("dispatcher", { TOPIC_PREFIX: `round-${round}.` })
    await receiver.take()
    await publishBacklog(own, warmUp, channels)
    await receiver.reached(warmUp)
    measured.push({
      partitions,
      figures: await measureRates(own, receiver, dispatcher, channels, partitions),
    })
    await dispatcher.end()
  }
  const mean = (partitions: number, name: string) => {
    const values = measured.flatMap((one) =>
      one.partitions === partitions ? [one.figures.get(name) ?? Number.NaN] : [],
    )
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  const [few = 0, many = 0] = counts
  return [...(measured[0]?.figures.keys() ?? [])].map((name) => {
    const [value, baseline] = [mean(many, name), mean(few, name)]
    const measure = figure(`${name}, with ${many} partitions beside ${few}`, value)
    return { ...measure, baseline: round(baseline), ratio: round(value / baseline) }
  })
}

async function measureRates(
  it: Bench,
  receiver: Receiving,
  dispatcher: { pid: number },
  channels: readonly string[],
  partitions: number,
): Promise<Figures> {
  const figures: Figures = new Map()
  const add = (when: string, cost: Cost) => {
    figures.set(`${when}: CPU`, totalOf(cost))
    figures.set(`${when}: CPU of Kafka`, cost.broker)
  }
  const resting = countCost(it, dispatcher)
  await sleep(seconds * 1_000)
  const rest = divide(resting(), seconds)
  add("at rest, ms a second", rest)
  it.progress(`${partitions} partitions at rest: ${describeCost(rest, "ms a second")}`)
  for (const perSecond of rates) {
    await receiver.take()
    const counting = countCost(it, dispatcher)
    const amount = perSecond * seconds
    await publishPaced(it, { perSecond, amount, channels })
    await receiver.reached(amount)
    const cost = divide(counting(), amount)
    const latencies = (await receiver.take()).arrivals.map(({ latencyMs }) => latencyMs)
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map((share) => percentile(latencies, share))
    add(`an event at ${perSecond}/s, ms`, cost)
    figures.set(`p50 from publish to arrival at ${perSecond}/s, ms`, p50)
    figures.set(`p99 from publish to arrival at ${perSecond}/s, ms`, p99)
    const times = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
    it.progress(`${partitions} partitions, ${perSecond}/s: ${describeCost(cost)} for each event, ${times}`)
  }
  return figures
}
