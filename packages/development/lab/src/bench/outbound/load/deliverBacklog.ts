import { lowestDeliveryId } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import type { Installation } from "../../installation/startBenchInstallation.ts"
import { memoryMb } from "../../machine/processUsage.ts"
import { type Cost, countCost, describeCost, divide } from "../cost.ts"
import type { Receiving } from "../receiver/startBenchReceiver.ts"
import { publishBacklog } from "./publishBacklog.ts"

/** Deliveries before the measurement let V8 compile: CPU time per delivery falls until about the 25,000th. */
export const warmUp = 30_000

export type Backlog = {
  amount: number
  channels: readonly string[]
  progress: (line: string) => void
  database?: Pick<Installation, "sql" | "url">
  env?: Record<string, string>
}

/**
 * Publishes a warm-up and `amount` events, which a new dispatcher delivers. Measures the `count` deliveries
 * after the warm-up; `cost` is the cost of one. The dispatcher is left running.
 */
export async function deliverBacklog(it: Installation, { take, reached }: Receiving, backlog: Backlog) {
  const { amount, channels, progress, database = it, env = {} } = backlog
  const total = warmUp + amount
  await publishBacklog(it, total, channels)
  progress(`${total} events are on the topic; starting the dispatcher`)
  await take()
  const dispatcher = await it.start("dispatcher", { DATABASE_URL: database.url, ...env })
  const begunAt = performance.now()
  const first = await reached(warmUp)
  progress(`${Math.round((1_000 * first) / (performance.now() - begunAt))}/s for the first ${first}`)
  const startedAt = performance.now()
  const counting = countCost(it, dispatcher)
  await reached(total)
  const seconds = (performance.now() - startedAt) / 1_000
  // Checks only deliveries of the last second, because older ones are recorded already. A query of the whole
  // table would add to the measured CPU time.
  const recent = lowestDeliveryId(Date.now() - 1_000)
  await waitUntil("the last deliveries to be recorded", async () => {
    const pending = await database.sql(
      "select 1 from delivery where id >= $1 and state = 'pending' limit 1",
      [recent],
    )
    return pending.length === 0
  })
  const count = total - first
  const cost: Cost = divide(counting(), count)
  const perSecond = count / seconds
  progress(`${Math.round(perSecond)}/s, ${describeCost(cost, "ms")} for each`)
  return { dispatcher, count, perSecond, cost, peak: memoryMb(dispatcher.pid).peak }
}
