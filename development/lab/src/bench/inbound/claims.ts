import { execFile } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { judge, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"

const connections = 100_000
const clients = 5
const baselineSeconds = 8
/** So many are finished before the measurement begins, so that it includes neither the start nor V8's compiler. */
const warmUp = 10_000

/**
 * Measures how many connections with a due sync a scheduler claims and finishes in a second. Its syncs do
 * nothing. The baseline is pgbench, which updates single rows over as many database connections.
 */
export async function measureClaims(it: Bench): Promise<Measure[]> {
  await it.addBenchConnections(connections)
  await it.sql("create table bench_row (id int primary key, value int not null)")
  await it.sql(`insert into bench_row select at, 0 from generate_series(1, ${connections}) as at`)
  await it.vacuum("bench_row")
  // pgbench runs before and after the scheduler, because the machine's speed changes by a fifth within minutes.
  const before = await pgbench(it)
  await it.sql(
    "update sync_window set requested = 1, due_at = clock_timestamp(), first_trigger_at = now(), last_trigger_at = now()",
  )
  await it.vacuum("sync_window")
  const env = { ...it.variables("scheduler"), DATABASE_POOL_SIZE: String(clients) }
  const { child, end } = await it.startFile("services/sync-scheduler/test/fixtures/noopScheduler.ts", env)
  const reached = async (amount: number) => {
    for (;;) {
      const [{ finished = 0 }] = (await once(child, "message")) as [{ finished?: number }]
      if (finished >= amount) return finished
    }
  }
  const first = await reached(warmUp)
  const startedAt = performance.now()
  const value = ((await reached(connections)) - first) / ((performance.now() - startedAt) / 1_000)
  await end("SIGKILL")
  const after = await pgbench(it)
  const updates = `${Math.round(before)} and ${Math.round(after)} single-row updates/s, ${clients} clients`
  it.progress(`${Math.round(value)} connections/s claimed and finished; pgbench: ${updates}`)
  const name = "due connections claimed and finished/s, 100,000 connections"
  return [judge(name, value, (before + after) / 2, "ratio-at-least", 2)]
}

async function pgbench(it: Bench): Promise<number> {
  const file = join(it.directory, "update.sql")
  const update = "update bench_row set value = value + 1 where id = :id;"
  await writeFile(file, `\\set id random(1, ${connections})\n${update}\n`)
  const load = [`--file=${file}`, `--client=${clients}`, `--time=${baselineSeconds}`]
  const options = [...load, "--no-vacuum", "--jobs=1", "--protocol=prepared", it.url]
  const { stdout } = await promisify(execFile)(findPgbench(), options, { maxBuffer: 1 << 20 })
  const found = /tps = ([\d.]+) \(without/.exec(stdout)?.[1]
  if (found === undefined) throw new Error(`pgbench printed no transactions/s:\n${stdout}`)
  return Number(found)
}

function findPgbench(): string {
  const paths = ["/usr/bin/pgbench", ...globSync("/usr/lib/postgresql/*/bin/pgbench")]
  const found = paths.find((path) => existsSync(path))
  if (found) return found
  const advice = "On Debian, install postgresql-contrib."
  throw new Error(`The baseline needs pgbench, which is not installed. ${advice}`)
}
