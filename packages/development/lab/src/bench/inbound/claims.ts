import { execFile } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure } from "../measure/measure.ts"
import { addBenchConnections } from "./addBenchConnections.ts"

const connections = 100_000
const clients = 5
const baselineSeconds = 8
/**
 * The measurement begins when this many connections are finished, so that it includes neither the start nor
 * V8's compiler.
 */
const warmUp = 10_000

/**
 * Measures how many connections with a due sync a scheduler claims and finishes in a second. Its syncs do
 * nothing. The baseline is pgbench, which updates single rows over as many database connections.
 */
export async function measureClaims(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  await addBenchConnections(it, connections)
  await it.sql("create table bench_row (id int primary key, value int not null)")
  await it.sql(`insert into bench_row select at, 0 from generate_series(1, ${connections}) as at`)
  await it.sql("vacuum analyze bench_row")
  // pgbench runs before and after the scheduler, because the machine's speed changes by a fifth within
  // minutes.
  const before = await pgbench(it)
  await it.sql(
    "update sync_window set requested = 1, due_at = clock_timestamp(), first_trigger_at = now(), last_trigger_at = now()",
  )
  await it.sql("vacuum analyze sync_window")
  const scheduler = await it.startFile("services/sync-scheduler/test/fixtures/noopScheduler.ts", {
    ...it.variables("scheduler"),
    DATABASE_POOL_SIZE: String(clients),
  })
  const { child } = scheduler
  const reached = async (amount: number) => {
    for (;;) {
      const [message] = (await once(child, "message")) as [{ finished?: number }]
      if ((message.finished ?? 0) >= amount) return message.finished ?? 0
    }
  }
  const first = await reached(warmUp)
  const startedAt = performance.now()
  const value = ((await reached(connections)) - first) / ((performance.now() - startedAt) / 1_000)
  progress(`${Math.round(value)} connections/s claimed and finished`)
  await scheduler.end("SIGKILL")
  const after = await pgbench(it)
  progress(`pgbench: ${Math.round(before)} and ${Math.round(after)} single-row updates/s, ${clients} clients`)
  const name = "due connections claimed and finished/s, 100,000 connections"
  return [judge(name, value, (before + after) / 2, { kind: "ratio-at-least", bound: 2 })]
}

async function pgbench(it: Installation): Promise<number> {
  const script = `\\set id random(1, ${connections})\nupdate bench_row set value = value + 1 where id = :id;\n`
  const folder = await mkdtemp(join(tmpdir(), "sitewire-pgbench-"))
  const file = join(folder, "update.sql")
  await writeFile(file, script)
  const { stdout } = await promisify(execFile)(
    findPgbench(),
    [
      "--no-vacuum",
      `--file=${file}`,
      `--client=${clients}`,
      "--jobs=1",
      `--time=${baselineSeconds}`,
      "--protocol=prepared",
      it.url,
    ],
    { maxBuffer: 1 << 20 },
  )
  await rm(folder, { recursive: true })
  const found = /tps = ([\d.]+) \(without/.exec(stdout)?.[1]
  if (found === undefined) throw new Error(`pgbench printed no transactions/s:\n${stdout}`)
  return Number(found)
}

function findPgbench(): string {
  const paths = ["/usr/bin/pgbench", ...globSync("/usr/lib/postgresql/*/bin/pgbench")]
  const found = paths.find((path) => existsSync(path))
  if (found) return found
  throw new Error(
    "The baseline needs pgbench, which is not installed. On Debian, install postgresql-contrib.",
  )
}
