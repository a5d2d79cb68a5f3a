import { setTimeout as sleep } from "node:timers/promises"
import { topicNames } from "@sitewire/contracts"
import { deleteTopics, ensureTopics } from "@sitewire/kafka"
import { percentile } from "../../shared/percentile.ts"
import { figure, type Measure, round } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import { countCost, divide, totalOf } from "./cost.ts"
import { publishBacklog, publishPaced, type Receiving, startReceiving } from "./load.ts"

const [few, many] = [6, 24]
const rates = [20, 200, 1_000]
const seconds = 20
const warmUp = 10_000

/** CPU time and latencies by name, in milliseconds. */
type Figures = Record<string, number>

/**
 * Measures what the partitions of site.paid cost: at rest, and for an event at 20, 200 and 1,000 a second. Each number of partitions
 * is measured twice, in the order 6, 24, 24, 6, because the machine's speed changes within minutes. The CPU time includes what
 * publishing costs the broker.
 */
export async function measurePartitions(it: Bench): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(50, (at) => `${receiver.url}/timed-${at}`)
  const measured: { partitions: number; figures: Figures }[] = []
  for (const [round, partitions] of [few, many, many, few].entries()) {
    const prefix = { TOPIC_PREFIX: `round-${round}.` }
    const { sitePaid } = topicNames({ prefix: prefix.TOPIC_PREFIX, retryDelaysMs: [] })
    const own = { ...it, names: { ...it.names, sitePaid } }
    await it.setUp(prefix)
    await deleteTopics(it.kafka, [sitePaid])
    const config = { "message.timestamp.type": "LogAppendTime" }
    await ensureTopics({ kafka: it.kafka, topics: [{ name: sitePaid, partitions, config }] })
    const dispatcher = await it.start("dispatcher", prefix)
    await publishBacklog(own, warmUp, channels)
    await receiver.reached(warmUp)
    measured.push({ partitions, figures: await measureRates(own, receiver, dispatcher, channels) })
    it.progress(`${partitions} partitions: ${JSON.stringify(measured.at(-1)?.figures)}`)
    await dispatcher.end()
  }
  const mean = (of: number, name: string) => {
    const values = measured.flatMap(({ partitions, figures }) =>
      partitions === of ? [figures[name] ?? NaN] : [],
    )
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  return Object.keys(measured[0]?.figures ?? {}).map((name) => {
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
): Promise<Figures> {
  const figures: Figures = {}
  for (const perSecond of [0, ...rates]) {
    const when = perSecond === 0 ? "at rest, for a second" : `an event at ${perSecond}/s`
    await receiver.take()
    const counting = countCost(it, dispatcher)
    const amount = perSecond * seconds
    if (amount === 0) await sleep(seconds * 1_000)
    else await publishPaced(it, { perSecond, amount, channels })
    await receiver.reached(amount)
    const cost = divide(counting(), amount || seconds)
    figures[`${when}: CPU, ms`] = totalOf(cost)
    figures[`${when}: CPU of Kafka, ms`] = cost.broker
    const latencies = (await receiver.take()).arrivals.map(({ latencyMs }) => latencyMs)
    if (amount > 0)
      for (const share of [0.5, 0.99])
        figures[`${when}: p${100 * share} to arrival, ms`] = percentile(latencies, share)
  }
  return figures
}
