import { setTimeout as sleep } from "node:timers/promises"
import { groupNames } from "@sitewire/contracts"
import { groupLag, topicEnd } from "@sitewire/kafka"
import { waitUntil } from "@sitewire/testkit"
import { atMost, judge, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import { countCost, describeCost, divide, totalOf } from "./cost.ts"
import { publishBacklog, startReceiving, startWarmDispatcher } from "./load.ts"

const amount = 100_000
const warmUp = 20_000
const reportEveryMs = 60_000

/** Measures the CPU time that waiting deliveries of a paused channel cost, compared with the same dispatcher when idle. */
export async function measurePaused(it: Bench): Promise<Measure[]> {
  const { progress, pausedMs } = it
  const receiver = await startReceiving(it)
  await it.channel("paused", `${receiver.url}/paused`)
  await it.sql("update channel set paused_at = now() where id = 'paused'")
  const dispatcher = await startWarmDispatcher(it, receiver, warmUp)

  const watch = async (what: string, ms: number) => {
    await it.vacuum("delivery", "waiting_delivery", "attempt")
    await sleep(5_000)
    const counting = countCost(it, dispatcher)
    const before = await recordsOf(it)
    for (let left = ms; left > 0; left -= reportEveryMs) {
      await sleep(Math.min(left, reportEveryMs))
      const passed = (ms - left + Math.min(left, reportEveryMs)) / 1_000
      progress(`${what}, after ${passed} s: ${describeCost(divide(counting(), passed), "ms a second")}`)
    }
    return { percentOfCore: (100 * totalOf(counting())) / ms, records: (await recordsOf(it)) - before }
  }

  const idle = await watch("idle", Math.min(60_000, pausedMs))
  const startedAt = performance.now()
  await publishBacklog(it, amount, ["paused"])
  const areConsumed = async () => {
    const lags = await groupLag(it.kafka, groupNames("").paid, [it.names.sitePaid])
    return lags.every(({ lag }) => lag === 0)
  }
  await waitUntil("all events to be consumed", areConsumed, 300_000)
  progress(`${amount} are consumed after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
  const paused = await watch(`${amount} wait`, pausedMs)
  const during = `${amount} deliveries of a paused channel, ${pausedMs / 1_000} s`
  const [unit, cpu] = ["% of a core", `CPU: ${during}, % of a core`]
  return [
    atMost(`records produced: ${during}`, paused.records, 0),
    judge(cpu, paused.percentOfCore, idle.percentOfCore, "more-at-most", 1, unit),
  ]
}

async function recordsOf({ kafka, names }: Bench): Promise<number> {
  let sum = 0
  for (const topic of [names.sitePaid, names.sitePaidInvalid, ...names.retry, names.dead])
    for (const end of Object.values(await topicEnd({ kafka, topic }))) sum += Number(end)
  return sum
}
