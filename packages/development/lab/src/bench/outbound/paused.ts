import { setTimeout as sleep } from "node:timers/promises"
import { groupLag, topicEnd } from "@sitewire/kafka"
import { waitUntil } from "@sitewire/testkit"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure } from "../measure/measure.ts"
import { countCost, describeCost, divide, totalOf } from "./cost.ts"
import { publishBacklog } from "./load/publishBacklog.ts"
import { startReceiving } from "./receiver/startBenchReceiver.ts"

const amount = 100_000
const warmUp = 20_000
const idleMs = 60_000
const settleMs = 5_000
const reportEveryMs = 60_000

/**
 * Measures the CPU time that waiting deliveries of a paused channel cost, compared with the same dispatcher
 * when idle.
 */
export async function measurePaused(
  it: Installation,
  { progress, pausedMs }: BenchOptions,
): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  await it.channel("quick", `${receiver.url}/quick`)
  await it.channel("paused", `${receiver.url}/paused`)
  await it.sql("update channel set paused_at = now() where id = 'paused'")
  const dispatcher = await it.start("dispatcher")
  await publishBacklog(it, warmUp, ["quick"])
  await receiver.reached(warmUp)
  await vacuum(it)
  await sleep(settleMs)

  const watch = async (what: string, ms: number) => {
    const counting = countCost(it, dispatcher)
    const before = await recordsOf(it)
    for (let left = ms; left > 0; left -= reportEveryMs) {
      await sleep(Math.min(left, reportEveryMs))
      const passed = (ms - left + Math.min(left, reportEveryMs)) / 1_000
      progress(`${what}, after ${passed} s: ${describeCost(divide(counting(), passed), "ms a second")}`)
    }
    const percentOfCore = (100 * totalOf(counting())) / ms
    return { percentOfCore, records: (await recordsOf(it)) - before }
  }

  const idle = await watch("idle", Math.min(idleMs, pausedMs))
  await receiver.take()
  const startedAt = performance.now()
  await publishBacklog(it, amount, ["paused"])
  await waitUntil(
    "all events to be consumed",
    async () => {
      const lags = await groupLag(it.kafka, "webhook-dispatcher.paid", [it.names.sitePaid])
      return lags.every(({ lag }) => lag === 0)
    },
    300_000,
  )
  progress(`${amount} are consumed after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
  await vacuum(it)
  await sleep(settleMs)
  const paused = await watch(`${amount} wait`, pausedMs)
  await dispatcher.end()
  await receiver.end()
  const during = `${amount} deliveries of a paused channel, ${pausedMs / 1_000} s`
  return [
    judge(`records produced: ${during}`, paused.records, null, { kind: "value-at-most", bound: 0 }),
    judge(`CPU: ${during}, % of a core`, paused.percentOfCore, idle.percentOfCore, {
      kind: "more-at-most",
      bound: 1,
      unit: "% of a core",
    }),
  ]
}

/** Vacuums now, so that no autovacuum runs during the measurement. */
async function vacuum(it: Installation): Promise<void> {
  for (const table of ["delivery", "attempt"]) await it.sql(`vacuum (analyze) ${table}`)
  await it.sql("checkpoint")
}

async function recordsOf({ kafka, names }: Installation): Promise<number> {
  const { sitePaid, sitePaidInvalid, retry, dead } = names
  let sum = 0
  for (const topic of [sitePaid, sitePaidInvalid, ...retry, dead]) {
    for (const end of Object.values(await topicEnd({ kafka, topic }))) sum += Number(end)
  }
  return sum
}
