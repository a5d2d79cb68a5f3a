import { readdirSync, readFileSync } from "node:fs"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import { type PartnersState, readPartners } from "../mixed/partnersState.ts"
import type { Load } from "../mixed/startLoad.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"

/** What was measured at one time. A figure is missing while its process or Postgres is unavailable. */
export type Sample = {
  /** Seconds since the epoch. */
  at: number
  published: number
  accepted: number
  memoryBytes: Record<string, number>
  descriptors: Record<string, number>
  /** CPU time since the process began, in seconds. */
  cpuSeconds: Record<string, number>
  tableBytes: Record<string, number>
  indexBytes: Record<string, number>
  latency: PartnersState["latency"]
  /** For how long the oldest due sync and the oldest due attempt have been waiting, in seconds. */
  oldestSync: number | null
  oldestAttempt: number | null
}

const tables = ["delivery", "attempt", "sync_window", "sync_run", "snapshot", "snapshot_chunk", "statistic"]

export async function takeSample(settings: {
  it: Pick<ChaosInstallation, "pool" | "brokers">
  services: readonly SupervisedProcess[]
  partners: string
  load: Load
}): Promise<Sample> {
  const { it, services, partners, load } = settings
  const pids = [
    ...services.map((service) => [service.name, service.pid()] as const),
    ...it.brokers.map((broker, at) => [`kafka-${at + 1}`, broker.pid] as const),
  ]
  const [database, { latency }] = await Promise.all([
    readDatabase(it).catch(() => null),
    readPartners(partners, load.published()),
  ])
  const read = (of: (pid: number) => number) =>
    Object.fromEntries(pids.flatMap(([name, pid]) => (pid === undefined ? [] : figure(name, () => of(pid)))))
  return {
    ...{ at: Date.now() / 1_000, published: load.published(), accepted: load.statuses[202] ?? 0, latency },
    memoryBytes: read(memoryOf),
    descriptors: read((pid) => readdirSync(`/proc/${pid}/fd`).length),
    cpuSeconds: read(cpuSecondsOf),
    tableBytes: Object.fromEntries(database?.sizes.map(({ name, tableBytes }) => [name, tableBytes]) ?? []),
    indexBytes: Object.fromEntries(database?.sizes.map(({ name, indexBytes }) => [name, indexBytes]) ?? []),
    oldestSync: database?.oldestSync ?? null,
    oldestAttempt: database?.oldestAttempt ?? null,
  }
}

async function readDatabase({ pool }: Pick<ChaosInstallation, "pool">) {
  const sizes = await pool.sql<{ name: string; tableBytes: number; indexBytes: number }>(
    `select name, pg_table_size(name::regclass)::float8 as "tableBytes",
       pg_indexes_size(name::regclass)::float8 as "indexBytes" from unnest($1::text[]) as name`,
    [tables],
  )
  const [oldest] = await pool.sql<{ oldestSync: number; oldestAttempt: number }>(
    `select coalesce(greatest(0, extract(epoch from now() - (select min(due_at) from sync_window where not running))), 0)::float8
         as "oldestSync",
       coalesce(greatest(0, extract(epoch from now() - (select min(next_attempt_at) from delivery where state = 'pending'))), 0)::float8
         as "oldestAttempt"`,
  )
  return { sizes, oldestSync: oldest?.oldestSync ?? null, oldestAttempt: oldest?.oldestAttempt ?? null }
}

function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  return 1_024 * Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN)
}

function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The program's name, in parentheses, may contain spaces. Ticks are hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Nothing, if the process has just ended. */
function figure(name: string, read: () => number): [string, number][] {
  try {
    return [[name, read()]]
  } catch {
    return []
  }
}
