import { readdirSync } from "node:fs"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import { percentile } from "../../shared/percentile.ts"
import { cpuMs, memoryMb } from "../../shared/processUsage.ts"
import type { Lab } from "../../shared/startLab.ts"

/** SQL for the bytes of the table `name`, with its partitions. */
const sizeOf = (what: "pg_table_size" | "pg_indexes_size") =>
  `coalesce((select sum(${what}(relid)) from pg_partition_tree(name::regclass)), ${what}(name::regclass))`

/** What was measured at one time, such as `MB dispatcher-1`. A figure is missing while its process or Postgres is unavailable. */
export type Sample = { series: Record<string, number> }

const tables = ["delivery", "known_event", "attempt", "sync_run", "snapshot", "snapshot_chunk"]

export function createSampler(settings: {
  it: Pick<Lab, "pool" | "servers">
  services: readonly SupervisedProcess[]
  mixed: { published(): number; accepted(): number; p99Ms(): Promise<number | null> }
  exits: () => number
}): () => Promise<Sample> {
  const { it, services, mixed, exits } = settings
  let usedBefore = new Map<string, { at: number; ms: number }>()
  return async () => {
    const [database, p99] = await Promise.all([readDatabase(it).catch(() => ({})), mixed.p99Ms()])
    const series: Record<string, number> = {
      events: mixed.published(),
      calls: mixed.accepted(),
      exits: exits(),
      ...database,
      ...(p99 !== null && { "p99 ms": p99 }),
    }
    const pids = [
      ...services.map((service) => [service.name, service.pid()] as const),
      ...it.servers.brokers.map((broker, at) => [`kafka-${at + 1}`, broker.pid] as const),
    ]
    const used = new Map<string, { at: number; ms: number }>()
    for (const [name, pid] of pids) {
      if (pid === undefined) continue
      try {
        series[`MB ${name}`] = memoryMb(pid).now
        series[`descriptors ${name}`] = readdirSync(`/proc/${pid}/fd`).length
        const now = { at: performance.now(), ms: cpuMs(pid) }
        const before = usedBefore.get(name)
        // A process that was started again has used less than the one before it.
        if (before && now.ms >= before.ms)
          series[`cores ${name}`] = (now.ms - before.ms) / (now.at - before.at)
        used.set(name, now)
      } catch {
        // The process has just ended.
      }
    }
    usedBefore = used
    return { series }
  }
}

async function readDatabase({ pool }: Pick<Lab, "pool">): Promise<Record<string, number>> {
  const rows = await pool.sql<{ name: string; value: number }>(
    `select 'table MB ' || name as name, ${sizeOf("pg_table_size")} / 1048576.0::float8 as value
       from unnest($1::text[]) as name
     union all select 'index MB ' || name, ${sizeOf("pg_indexes_size")} / 1048576.0::float8
       from unnest($1::text[]) as name
     union all select 'oldest due sync s', extract(epoch from now() - min(due_at))::float8
       from sync_window where not running
     union all select 'oldest due attempt s', extract(epoch from now() - min(next_attempt_at))::float8
       from waiting_delivery`,
    [tables],
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, Math.max(0, value)]))
}

/** A row for each figure of the samples. */
export function summarise(samples: readonly Sample[]) {
  const names = [...new Set(samples.flatMap(({ series }) => Object.keys(series)))].sort()
  const round = (value: number | undefined) => Math.round(100 * (value ?? 0)) / 100
  const rows = names.map((name) => {
    const values = samples.flatMap(({ series }) => series[name] ?? [])
    const at = (share: number) => round(percentile(values, share))
    const [first, last] = [round(values[0]), round(values.at(-1))]
    return [name, { first, median: at(0.5), p95: at(0.95), largest: at(1), last }] as const
  })
  return Object.fromEntries(rows)
}
