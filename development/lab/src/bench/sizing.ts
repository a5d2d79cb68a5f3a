import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { serve } from "../shared/serve.ts"
import { sizeOf } from "../shared/sizeOf.ts"
import { trigger, waitUntilCovered } from "./inbound/synced.ts"
import { figure, type Measure } from "./measure.ts"
import { totalOf } from "./outbound/cost.ts"
import { deliverBacklog, startReceiving, warmUp } from "./outbound/load.ts"
import type { Bench } from "./startBench.ts"

const amount = 30_000
const connections = 2_000
const atOnce = 50

/** What one delivery that succeeds at the first attempt costs in CPU time, in Postgres and on its topic. */
export async function sizeDeliveries(it: Bench): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(100, (at) => `${receiver.url}/channel-${at}`)
  const used = await startUsage(it, ["delivery", "known_event", "attempt"], it.names.sitePaid)
  const { perSecond, cost } = await deliverBacklog(it, receiver, { amount, channels, end: false })
  const sessions = await countSessions(it)
  const each = await used(amount + warmUp)
  return [
    figure("deliveries a second from a backlog, one dispatcher", perSecond),
    figure("deliveries a second and core: dispatcher, Postgres and Kafka", 1_000 / totalOf(cost)),
    figure("CPU time of a delivery in the dispatcher, ms", cost.dispatcher),
    figure("CPU time of a delivery in Postgres, ms", cost.postgres),
    figure("CPU time of a delivery in Kafka, ms", cost.broker),
    figure("bytes of a delivery and its attempt in tables", each.tables),
    figure("bytes of a delivery and its attempt in indexes", each.indexes),
    figure("bytes of write-ahead log for a delivery", each.log),
    figure("rows written for a delivery", each.rows),
    figure("transactions for a delivery, in a backlog", each.transactions),
    figure("bytes of an event in site.paid, for each copy", each.topic),
    figure("connections to Postgres: a dispatcher and the bench", sessions),
  ]
}

/**
 * What one sync costs in Postgres, and a trigger on its topic: each of 2,000 connections is triggered twice, and fetches
 * the same kilobyte each time.
 */
export async function sizeSyncs(it: Bench): Promise<Measure[]> {
  const source = await serve((_, response) => void response.end("x".repeat(1_024)))
  const paths = await it.addBenchConnections(connections, (id) => `${source.origin}/${id}`)
  const gateway = await it.start("gateway")
  const short = { SYNC_WINDOW: "1s", SYNC_SETTLE: "100ms", SYNC_DEADLINE: "900ms", SYNC_MAX_PER_HOST: "64" }
  await it.start("scheduler", short)
  const round = async () => {
    const used = await startUsage(
      it,
      ["sync_window", "sync_run", "snapshot", "snapshot_chunk"],
      it.names.connectorTriggered,
    )
    for (let from = 0; from < paths.length; from += atOnce)
      await Promise.all(paths.slice(from, from + atOnce).map((path) => trigger(gateway, path)))
    await waitUntilCovered(it)
    return used(connections)
  }
  const first = await round()
  it.progress("the first syncs are done")
  const second = await round()
  const sessions = await countSessions(it)
  source.close()
  return [
    figure("bytes of a connection with its first sync and 1 kB of content", first.tables + first.indexes),
    figure("bytes of each further sync without a change", second.tables + second.indexes),
    figure("bytes of write-ahead log for a trigger and its sync", second.log),
    figure("rows written for a trigger and its sync", second.rows),
    figure("bytes of a trigger in connector.triggered, for each copy", second.topic),
    figure("connections to Postgres: a gateway, a scheduler and the bench", sessions),
  ]
}

async function countSessions({ sql }: Bench): Promise<number> {
  const [row] = await sql<{ count: number }>(
    "select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  )
  return row?.count ?? 0
}

type Usage = Record<"tables" | "indexes" | "log" | "transactions" | "rows" | "topic", number>

/** The returned function reports what Postgres and Kafka have written since, for each of `count`. */
async function startUsage(it: Bench, tables: readonly string[], topic: string) {
  const read = async (): Promise<Usage> => {
    // A session adds its transactions to Postgres's statistics once a second, but the last ones only after ten idle seconds.
    await sleep(11_000)
    const [row] = await it.sql<Omit<Usage, "topic">>(
      `select sum(${sizeOf("pg_table_size")})::float8 as tables,
         sum(${sizeOf("pg_indexes_size")})::float8 as indexes,
         pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as log,
         (select xact_commit::float8 from pg_stat_database where datname = current_database()) as transactions,
         (select sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 from pg_stat_user_tables) as rows
       from unnest($1::text[]) as name`,
      [tables],
    )
    if (row === undefined) throw new Error("Postgres returned no sizes")
    return { ...row, topic: await readTopicBytes(join(it.directory, "kafka/data"), topic) }
  }
  const before = await read()
  return async (count: number): Promise<Usage> => {
    const after = await read()
    const names = Object.keys(after) as (keyof Usage)[]
    return Object.fromEntries(names.map((name) => [name, (after[name] - before[name]) / count])) as Usage
  }
}

async function readTopicBytes(data: string, topic: string): Promise<number> {
  let bytes = 0
  for (const partition of await readdir(data))
    if (partition.replace(/-\d+$/, "") === topic)
      for (const file of await readdir(join(data, partition)))
        if (file.endsWith(".log")) bytes += (await stat(join(data, partition, file))).size
  return bytes
}
