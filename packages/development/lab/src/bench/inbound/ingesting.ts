import { setTimeout as sleep } from "node:timers/promises"
import type { ConnectorTriggered } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { memoryMb } from "../machine/processUsage.ts"
import { judge, type Measure } from "../measure/measure.ts"
import { runForResult } from "../measure/runForResult.ts"
import { addBenchConnections } from "./addBenchConnections.ts"

const triggers = 1_000_000
const connections = 10_000
const waiting = 100_000
const settleMs = 10_000

/** Measures the triggers/s that the scheduler ingests, compared with a consumer that only counts. */
export async function measureIngesting(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  await addBenchConnections(it, connections)
  await publish(it, triggers, connections)
  progress(`${triggers} triggers are on the topic`)
  const baseline = await bareConsumer(it)
  progress(`bare consumer: ${Math.round(baseline)}/s`)
  const idle = await it.start("scheduler", schedulerEnv)
  const counted = async () => {
    const [row] = await it.sql<{ sum: number }>(
      "select coalesce(sum(requested), 0)::float8 as sum from sync_window",
    )
    return row?.sum ?? 0
  }
  const first = await waitUntil("the first triggers", async () => (await counted()) || undefined, 60_000)
  const startedAt = performance.now()
  await waitUntil("all triggers", async () => (await counted()) >= triggers, 300_000)
  const value = ((triggers - first) / (performance.now() - startedAt)) * 1_000
  progress(`${Math.round(value)} triggers/s ingested`)
  await idle.end()
  return [
    judge("triggers ingested/s by the scheduler, 10,000 connections", value, baseline, {
      kind: "ratio-at-least",
      bound: 0.3,
    }),
    await memoryOfWaiting(it, progress),
  ]
}

/** The time from a trigger to its sync: so long that no sync starts during the measurement. */
const schedulerEnv = { SYNC_SETTLE: "1h" }

/**
 * Compares a scheduler's memory with 100,000 and with 100 waiting connections, each time after the same
 * number of triggers. A first measurement is discarded, because the memory of a new process still grows (with
 * compiled code and garbage).
 */
async function memoryOfWaiting(it: Installation, progress: (line: string) => void): Promise<Measure> {
  const scheduler = await it.start("scheduler", schedulerEnv)
  await it.sql("update sync_window set requested = 0, due_at = null")
  await addBenchConnections(it, waiting)
  const rssWith = async (connections: number): Promise<number> => {
    const [before] = await it.sql<{ sum: number }>("select sum(requested)::float8 as sum from sync_window")
    await publish(it, waiting, connections)
    await waitUntil(
      `the triggers of ${connections} connections to be ingested`,
      async () => {
        const [row] = await it.sql<{ sum: number; due: number }>(
          "select sum(requested)::float8 as sum, count(due_at)::int as due from sync_window",
        )
        return row && row.due >= connections && row.sum - (before?.sum ?? 0) >= waiting
      },
      120_000,
    )
    await sleep(settleMs)
    const { now } = memoryMb(scheduler.pid)
    progress(`memory with ${connections} connections waiting: ${now.toFixed(0)} MB`)
    return now
  }
  await rssWith(waiting)
  await it.sql("update sync_window set due_at = null")
  const few = await rssWith(100)
  const many = await rssWith(waiting)
  return judge("memory of the scheduler, 100,000 connections waiting, MB", many, few, {
    kind: "ratio-at-most",
    bound: 1.3,
  })
}

async function publish(it: Installation, amount: number, over: number): Promise<void> {
  const at = new Date().toISOString()
  for (let from = 0; from < amount; from += 5_000) {
    const records = Array.from({ length: Math.min(5_000, amount - from) }, (_, offset) => {
      const connection = `bench-${(from + offset) % over}`
      const value: ConnectorTriggered = {
        connection,
        first_at: at,
        last_at: at,
        count: 1,
        correlation: `c-${from + offset}`,
      }
      return { topic: it.names.connectorTriggered, key: connection, value: JSON.stringify(value) }
    })
    await it.publish(records)
  }
}

function bareConsumer({ brokers, names }: Installation): Promise<number> {
  const file = new URL("bareConsumer.ts", import.meta.url)
  return runForResult<number>(file, [brokers.join(","), names.connectorTriggered, String(triggers)])
}
