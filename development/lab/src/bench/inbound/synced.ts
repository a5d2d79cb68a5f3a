import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import { percentile } from "../../shared/percentile.ts"
import { serve } from "../../shared/serve.ts"
import { atMost, judge, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"

const connections = 200
/** Longer than a window, so that triggers during a connection's first window cause a second sync. */
const seconds = 100
const perSecond = 4
const settleMs = 2_000

type Run = { fence: number; startAfterMs: number; syncedMs: number }

/** Waits until every trigger is covered by a sync. */
export async function waitUntilCovered({ sql }: Bench): Promise<void> {
  const waiting = "select 1 from sync_window where requested > covered limit 1"
  await waitUntil("every trigger to be covered", async () => (await sql(waiting)).length === 0, 120_000)
}

export async function trigger(gateway: { addresses: Record<string, string> }, path = ""): Promise<void> {
  const response = await fetch(`${gateway.addresses.gateway}${path}`, { method: "POST" })
  await response.arrayBuffer()
  if (response.status !== 202) throw new Error(`a trigger got the response ${response.status}`)
}

/**
 * Measures, without injected faults, how soon triggers are synced and how far apart a connection's syncs are.
 * A window, the minimum interval between two syncs of a connection, is one minute.
 */
export async function measureSynced(it: Bench): Promise<Measure[]> {
  const fetched = new Map<string, number[]>()
  const source = await serve(({ url = "" }, response) => {
    fetched.set(url, [...(fetched.get(url) ?? []), performance.now()])
    response.end("the same content each time")
  })
  const paths = await it.addBenchConnections(connections, (id) => `${source.origin}/${id}`)
  const gateway = await it.start("gateway")
  const scheduler = await it.start("scheduler")
  it.progress(`${connections} connections are triggered at random for ${seconds} s`)
  for (let sent = 0; sent < seconds * perSecond; sent++) {
    await trigger(gateway, paths[Math.floor(Math.random() * paths.length)])
    await sleep(1_000 / perSecond)
  }
  await waitUntilCovered(it)
  const runs = await it.sql<Run>(
    `select fence::int, (extract(epoch from started_at - first_trigger_at) * 1000)::float8 as "startAfterMs",
            (extract(epoch from finished_at - first_trigger_at) * 1000)::float8 as "syncedMs"
       from sync_run where first_trigger_at is not null`,
  )
  const metrics = await fetch(`${scheduler.addresses.ops}/metrics`).then((response) => response.text())
  source.close()

  const windows = (part: string) => readCount(metrics, `sitewire_trigger_to_synced_seconds_${part}`)
  const late = windows("count") - windows('bucket.*le="60"')
  const gaps = [...fetched.values()].flatMap((at) =>
    at.slice(1).map((time, index) => time - (at[index] ?? 0)),
  )
  const longest = Math.max(...runs.map(({ syncedMs }) => syncedMs)) / 1_000
  it.progress(
    `${runs.length} syncs, ${gaps.length} after an earlier one; they ended within ${longest.toFixed(1)} s`,
  )
  const firsts = runs.filter(({ fence }) => fence === 1).map(({ startAfterMs }) => startAfterMs)
  const toStart = percentile(firsts, 0.99)
  const gapName = "shortest time between two syncs of a connection at its source, ms"
  return [
    atMost("triggers outside a run that were synced after more than 60 s", late, 0),
    atMost("p99 from a first trigger to its sync's start, ms", toStart, settleMs + 300, "ms"),
    judge(gapName, Math.min(...gaps), null, "value-at-least", 60_000, "ms"),
  ]
}

/** Of triggers that came while no sync of their connection ran (`kind="window"`). */
function readCount(metrics: string, name: string): number {
  const [, value] = new RegExp(`^${name}.*kind="window".*\\} (\\d+)$`, "m").exec(metrics) ?? []
  if (value === undefined) throw new Error(`the scheduler exposes no ${name}`)
  return Number(value)
}
