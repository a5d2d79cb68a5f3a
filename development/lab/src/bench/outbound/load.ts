import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import { paidEvent } from "../../shared/paidEvent.ts"
import { memoryMb } from "../../shared/processUsage.ts"
import type { Bench, Database } from "../startBench.ts"
import { countCost, describeCost, divide } from "./cost.ts"
import type { Taken } from "./receiver.ts"

/** The clock of latencies: the same in all processes of the machine, and finer than a millisecond. */
const clockMs = () => performance.timeOrigin + performance.now()

/** Deliveries before a measurement let V8 compile: CPU time per delivery falls until about the 25,000th. */
export const warmUp = 30_000

/**
 * Events before a measurement of latency: enough for the dispatcher's heap to grow to its full size. The growth takes
 * 30 ms, which would count as latency.
 */
export const pacedWarmUp = { perSecond: 2_000, amount: 12_000 }

/** Starts the receiver. Its process ends with the installation. */
export async function startReceiving(it: Bench, env: Record<string, string> = {}) {
  const { addresses } = await it.helper("bench/outbound/receiver.ts", env)
  const url = addresses.receiver ?? ""
  const call = async (path: string) => (await fetch(`${url}${path}`)).json() as Promise<unknown>
  return {
    url,
    addresses,
    /** Resolves when there are `amount` responses since the last `take`, with their count. */
    reached: async (amount: number) => ((await call(`/reached/${amount}`)) as { count: number }).count,
    take: async () => (await call("/take")) as Taken,
    noneHangs: async () => void (await call("/none-hangs")),
  }
}
export type Receiving = Awaited<ReturnType<typeof startReceiving>>

const recordOf = (it: Bench, at: number, channels: readonly string[], reference = `customer-${at}`) => {
  const event = paidEvent(randomUUID(), channels[at % channels.length] ?? "", reference, String(at))
  return { topic: it.names.sitePaid, key: event.id, value: JSON.stringify(event) }
}

/** Publishes in batches of 1,000. */
async function publishBacklog(it: Bench, amount: number, channels: readonly string[]): Promise<void> {
  for (let from = 0; from < amount; from += 1_000) {
    const length = Math.min(1_000, amount - from)
    await it.publish(Array.from({ length }, (_, offset) => recordOf(it, from + offset, channels)))
  }
}

/**
 * Publishes `amount` events one by one at an even rate. Each event's `reference` is the time of publishing,
 * by `clockMs`.
 */
export async function publishPaced(
  it: Bench,
  { perSecond, amount, channels }: { perSecond: number; amount: number; channels: readonly string[] },
): Promise<void> {
  const failures: unknown[] = []
  const acknowledged: Promise<unknown>[] = []
  const startedAt = performance.now()
  for (let at = 0; at < amount; at++) {
    const waitMs = startedAt + (at / perSecond) * 1_000 - performance.now()
    // A timer sleeps at least a millisecond, so shorter waits are skipped.
    if (waitMs >= 0.5) await sleep(waitMs)
    const record = recordOf(it, at, channels, String(clockMs()))
    acknowledged.push(it.publish([record]).catch((error: unknown) => failures.push(error)))
  }
  await Promise.all(acknowledged)
  if (failures.length > 0) throw failures[0]
}

/**
 * Publishes a warm-up and `amount` events, which a new dispatcher delivers. Measures the `count` deliveries
 * after the warm-up and `onWarm`; `cost` is the cost of one.
 */
export async function deliverBacklog(
  it: Bench,
  { take, reached }: Receiving,
  backlog: {
    amount: number
    channels: readonly string[]
    database?: Pick<Database, "sql" | "url">
    env?: Record<string, string>
    onWarm?: () => Promise<unknown>
  },
) {
  const { amount, channels, database = it, env = {}, onWarm } = backlog
  const total = warmUp + amount
  await publishBacklog(it, total, channels)
  it.progress(`${total} events are on the topic; starting the dispatcher`)
  await take()
  const dispatcher = await it.start("dispatcher", { DATABASE_URL: database.url, ...env })
  const begunAt = performance.now()
  let first = await reached(warmUp)
  it.progress(`${Math.round((1_000 * first) / (performance.now() - begunAt))}/s for the first ${first}`)
  if (onWarm) first = await onWarm().then(() => reached(0))
  const startedAt = performance.now()
  const counting = countCost(it, dispatcher)
  await reached(total)
  const seconds = (performance.now() - startedAt) / 1_000
  // By the dispatcher's gauge, because a query of the whole table would add to the measured CPU time.
  await waitUntil("the last deliveries to be recorded", async () => {
    const metrics = await fetch(`${dispatcher.addresses.ops}/metrics`).then((response) => response.text())
    return /^sitewire_records_outstanding(\{.*\})? 0$/m.test(metrics)
  })
  const count = total - first
  const cost = divide(counting(), count)
  const perSecond = count / seconds
  const memory = `${memoryMb(dispatcher.pid).peak.toFixed(0)} MB at most`
  it.progress(`${Math.round(perSecond)}/s, ${describeCost(cost)} for each, ${memory}`)
  await dispatcher.end()
  return { count, perSecond, cost }
}
