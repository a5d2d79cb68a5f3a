import { setTimeout as sleep } from "node:timers/promises"
import { percentile } from "../../shared/percentile.ts"
import type { Measure } from "../measure.ts"
import type { Side } from "../measureInPairs.ts"
import { compareP99, type Second } from "../outbound/latenciesBySecond.ts"
import type { Bench } from "../startBench.ts"
import { publishTriggers } from "./publishTriggers.ts"
import { startSources } from "./startSources.ts"
import { waitUntilCovered } from "./synced.ts"

/** All times are a quarter of their defaults, so that a phase lasts a quarter of a minute. */
const scale = 4
const windowMs = 60_000 / scale
const env = {
  SYNC_WINDOW: `${windowMs}ms`,
  SYNC_SETTLE: `${2_000 / scale}ms`,
  SYNC_DEADLINE: `${50_000 / scale}ms`,
}
const slow = { connections: 3_000, hosts: 100, ms: 9_000 / scale }
const healthy = { connections: 300, ms: 20 }

/** Compares how long the syncs of 300 healthy connections wait, beside 3,000 connections of a slow partner and without them. */
export async function measureSlowSources(it: Bench): Promise<Measure[]> {
  const sources = await startSources()
  const total = slow.connections + healthy.connections
  await it.addBenchConnections(total, (id) => {
    const at = Number(id.split("-")[1])
    return at < slow.connections
      ? sources.url(at % slow.hosts, { ms: slow.ms }, id)
      : sources.url(at, { ms: healthy.ms }, id)
  })
  const ids = Array.from({ length: total }, (_, at) => `bench-${at}`)
  const [slowIds, healthyIds] = [ids.slice(0, slow.connections), ids.slice(slow.connections)]
  await it.start("scheduler", env)

  async function runPhase(side: Side): Promise<Second[]> {
    const since = new Date()
    const each = windowMs / healthyIds.length
    const startedAt = performance.now()
    for (const [at, id] of healthyIds.entries()) {
      // Three times, so that the slow connections are due again as soon as they may be.
      if (side === "value" && at % (healthyIds.length / 3) === 0) await publishTriggers(it, slowIds)
      await sleep(Math.max(0, startedAt + at * each - performance.now()))
      await publishTriggers(it, [id])
    }
    await waitUntilCovered(it)
    const rows = await it.sql<{ second: number; ms: number }>(
      `select floor(extract(epoch from first_trigger_at - $2))::int as second,
         extract(epoch from started_at - first_trigger_at)::float8 * 1000 as ms
       from sync_run where connection_id = any($1) and started_at >= $2 and first_trigger_at >= $2`,
      [healthyIds, since],
    )
    const seconds = [...Map.groupBy(rows, ({ second }) => second).values()].map((of) =>
      of.map(({ ms }) => ms),
    )
    const bySecond = seconds.map((of) => percentile(of, 0.99).toFixed(0)).join(" ")
    it.progress(`${side === "value" ? "beside" : "without"} slow sources: p99 by second ${bySecond} ms`)
    return seconds
  }

  const measure = await compareP99({
    measure: `p99 wait of ${healthy.connections} connections beside ${slow.connections} of ${slow.hosts} slow hosts, ms`,
    bound: 1.5,
    pairs: { least: 3, most: 8 },
    run: runPhase,
    progress: it.progress,
  })
  sources.close()
  return [measure]
}
