import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import { memoryMb } from "../../shared/processUsage.ts"
import { judge, type Measure } from "../measure.ts"
import { type Bench, runForResult } from "../startBench.ts"
import { publishTriggers } from "./publishTriggers.ts"

const triggers = 1_000_000
const connections = 10_000
const waiting = 100_000
/** The time from a trigger to its sync is so long that no sync starts during the measurement. */
const env = { SYNC_SETTLE: "1h" }

/** Measures the triggers/s that the scheduler ingests, compared with a consumer that only counts. */
export async function measureIngesting(it: Bench): Promise<Measure[]> {
  await it.addBenchConnections(connections)
  await publish(it, triggers, connections)
  it.progress(`${triggers} triggers are on the topic`)
  const args = [it.brokers.join(","), it.names.connectorTriggered, triggers]
  const baseline = await runForResult<number>("inbound/bareConsumer.ts", args)
  const scheduler = await it.start("scheduler", env)
  const hasBegun = async () => (await readWindows(it)).requested || undefined
  const first = await waitUntil("the first triggers", hasBegun)
  const startedAt = performance.now()
  await waitUntil("all triggers", async () => (await readWindows(it)).requested >= triggers, 300_000)
  const value = ((triggers - first) / (performance.now() - startedAt)) * 1_000
  it.progress(`${Math.round(value)} triggers/s ingested, ${Math.round(baseline)} by a bare consumer`)
  await scheduler.end()
  const name = "triggers ingested/s by the scheduler, 10,000 connections"
  return [judge(name, value, baseline, "ratio-at-least", 0.3), await measureMemory(it)]
}

async function readWindows({ sql }: Bench): Promise<{ requested: number; due: number }> {
  const [row] = await sql<{ requested: number; due: number }>(
    "select coalesce(sum(requested), 0)::float8 as requested, count(due_at)::int as due from sync_window",
  )
  return row ?? { requested: 0, due: 0 }
}

/**
 * Compares a scheduler's memory with 100,000 and with 100 waiting connections, each time after the same
 * number of triggers. A first measurement is discarded, because the memory of a new process still grows (with
 * compiled code and garbage).
 */
async function measureMemory(it: Bench): Promise<Measure> {
  const scheduler = await it.start("scheduler", env)
  await it.sql("update sync_window set requested = 0, due_at = null")
  await it.addBenchConnections(waiting)
  const memoryWith = async (connections: number): Promise<number> => {
    const before = await readWindows(it)
    await publish(it, waiting, connections)
    const areIngested = async () => {
      const { requested, due } = await readWindows(it)
      return due >= connections && requested - before.requested >= waiting
    }
    await waitUntil(`the triggers of ${connections} connections to be ingested`, areIngested, 120_000)
    await sleep(10_000)
    const { now } = memoryMb(scheduler.pid)
    it.progress(`memory with ${connections} connections waiting: ${now.toFixed(0)} MB`)
    return now
  }
  await memoryWith(waiting)
  await it.sql("update sync_window set due_at = null")
  const few = await memoryWith(100)
  const many = await memoryWith(waiting)
  return judge("memory of the scheduler, 100,000 connections waiting, MB", many, few, "ratio-at-most", 1.3)
}

/** Publishes triggers of `over` connections in turn. */
function publish(it: Bench, amount: number, over: number): Promise<void> {
  return publishTriggers(
    it,
    Array.from({ length: amount }, (_, at) => `bench-${at % over}`),
  )
}
