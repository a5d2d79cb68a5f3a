import { percentile } from "../../shared/percentile.ts"
import { memoryMb } from "../../shared/processUsage.ts"
import { atMost, figure, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import { publishTriggers } from "./publishTriggers.ts"
import { startSources } from "./startSources.ts"
import { waitUntilCovered } from "./synced.ts"

const small = 20_000
const large = 10
const hosts = 1_000
/** A little less than the default of SYNC_MAX_BYTES. */
const largeMib = 49
const responseMs = 1_000
/** What the manifests allow a scheduler. */
const memoryLimitMb = 256

/**
 * Triggers 20,000 connections at once, whose sources respond in a second with 1 kB, and ten with large contents. One scheduler syncs
 * all. The second round finds all contents unchanged.
 */
export async function measureManySyncs(it: Bench): Promise<Measure[]> {
  const sources = await startSources()
  const sourceOf = (id: string) => {
    const at = Number(id.split("-")[1])
    return at < small
      ? sources.url(at % hosts, { ms: responseMs }, id)
      : sources.url(hosts + at - small, { mib: largeMib }, id)
  }
  await it.addBenchConnections(small + large, sourceOf)
  const ids = Array.from({ length: small + large }, (_, at) => `bench-${at}`)
  // The old generation that Node allows in a container with this limit.
  const scheduler = await it.start("scheduler", { NODE_OPTIONS: `--max-old-space-size=${memoryLimitMb / 2}` })
  const measures: Measure[] = []
  for (const round of ["first", "second"] as const) {
    const since = new Date()
    await publishTriggers(it, ids)
    await waitUntilCovered(it)
    const rows = await it.sql<{ connection: string; outcome: string; error: string | null; s: number }>(
      `select connection_id as connection, outcome::text, error, extract(epoch from finished_at - first_trigger_at)::float8 as s
         from sync_run where started_at >= $1`,
      [since],
    )
    const seconds = rows
      .filter(({ connection }) => Number(connection.split("-")[1]) < small)
      .map(({ s }) => s)
    const errors = rows.flatMap(({ error }) => error ?? [])
    const failed = errors.length
    it.progress(
      `${round} round: ${rows.length} syncs, ${failed} failed (${[...new Set(errors)].join(", ")}), ${percentile(seconds, 0.5).toFixed(1)} s at the median`,
    )
    const late = seconds.filter((each) => each > 60).length + Math.max(0, small - seconds.length)
    measures.push(
      atMost(`of 20,000 syncs of a second, later than 60 s (${round} round)`, late + failed, 0),
      figure(`p99 from trigger to synced, s (${round} round)`, percentile(seconds, 0.99)),
    )
  }
  const { peak } = memoryMb(scheduler.pid)
  sources.close()
  return [...measures, atMost("memory of the scheduler at most, MB", peak, memoryLimitMb)]
}
