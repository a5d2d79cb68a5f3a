import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure, percentile } from "../measure/measure.ts"
import { addBenchConnections } from "./addBenchConnections.ts"

const connections = 200
/** Longer than a window, so that triggers during a connection's first window cause a second sync. */
const seconds = 100
const perSecond = 4
const settleMs = 2_000

type Run = { fence: number; startAfterMs: number; syncedMs: number }

/**
 * Measures, without injected faults, how soon triggers are synced and how far apart a connection's syncs are.
 * A window, the minimum interval between two syncs of a connection, is one minute.
 */
export async function measureSynced(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const fetched = new Map<string, number[]>()
  const source = createServer(({ url = "" }, response) => {
    fetched.set(url, [...(fetched.get(url) ?? []), performance.now()])
    response.end("the same content each time")
  })
  await new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve))
  const paths = await addBenchConnections(it, connections)
  await it.sql("update connection set source = $1 || id", [
    `http://127.0.0.1:${(source.address() as AddressInfo).port}/`,
  ])
  const gateway = await it.start("gateway")
  const scheduler = await it.start("scheduler")
  progress(`${connections} connections are triggered at random for ${seconds} s`)
  for (let sent = 0; sent < seconds * perSecond; sent++) {
    const path = paths[Math.floor(Math.random() * paths.length)] ?? ""
    const { status } = await fetch(`${gateway.addresses.gateway}${path}`, { method: "POST" })
    if (status !== 202) throw new Error(`a trigger got the response ${status}`)
    await sleep(1_000 / perSecond)
  }
  const isCovered = async () =>
    (await it.sql("select 1 from sync_window where requested > covered limit 1")).length === 0
  await waitUntil("every trigger to be covered", isCovered, 90_000)
  const runs = await it.sql<Run>(
    `select fence::int, (extract(epoch from started_at - first_trigger_at) * 1000)::float8 as "startAfterMs",
            (extract(epoch from finished_at - first_trigger_at) * 1000)::float8 as "syncedMs"
       from sync_run where first_trigger_at is not null`,
  )
  const figures = await fetch(`${scheduler.addresses.ops}/metrics`).then((response) => response.text())
  await Promise.all([gateway.end(), scheduler.end()])
  source.closeAllConnections()
  source.close()

  const windows = (part: string) => counted(figures, `sitewire_trigger_to_synced_seconds_${part}`)
  const gaps = [...fetched.values()].flatMap((at) =>
    at.slice(1).map((time, index) => time - (at[index] ?? 0)),
  )
  progress(`${runs.length} syncs; ${windows("count")} counted, ${gaps.length} of them after an earlier one`)
  const longest = Math.max(...runs.map(({ syncedMs }) => syncedMs))
  progress(`from a sync's first trigger to its end: at most ${(longest / 1_000).toFixed(1)} s`)
  const firsts = runs.filter(({ fence }) => fence === 1).map(({ startAfterMs }) => startAfterMs)
  return [
    judge("triggers outside a run that were synced after more than 60 s", over60(windows), null, {
      kind: "value-at-most",
      bound: 0,
    }),
    judge("p99 from a first trigger to its sync's start, ms", percentile(firsts, 0.99), null, {
      kind: "value-at-most",
      bound: settleMs + 300,
      unit: "ms",
    }),
    judge("shortest time between two syncs of a connection at its source, ms", Math.min(...gaps), null, {
      kind: "value-at-least",
      bound: 60_000,
      unit: "ms",
    }),
  ]
}

function over60(windows: (part: string) => number): number {
  return windows("count") - windows('bucket.*le="60"')
}

/**
 * Reads a count from the scheduler's metrics. It is only for triggers that came while no sync of their
 * connection ran (`kind="window"`).
 */
function counted(figures: string, name: string): number {
  const [, value] = new RegExp(`^${name}.*kind="window".*\\} (\\d+)$`, "m").exec(figures) ?? []
  if (value === undefined) throw new Error(`the scheduler exposes no ${name}`)
  return Number(value)
}
