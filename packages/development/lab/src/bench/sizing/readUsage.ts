import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Installation } from "../installation/startBenchInstallation.ts"

/** What Postgres and Kafka have written so far. */
export type Usage = {
  tableBytes: number
  indexBytes: number
  logBytes: number
  transactions: number
  rowsWritten: number
  topicBytes: Record<string, number>
}

/** Of the named tables, and of all topics. */
export async function readUsage(it: Installation, tables: readonly string[]): Promise<Usage> {
  const [row] = await it.sql<Omit<Usage, "topicBytes">>(
    `select sum(pg_table_size(name::regclass))::float8 as "tableBytes",
       sum(pg_indexes_size(name::regclass))::float8 as "indexBytes",
       pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "logBytes",
       (select xact_commit::float8 from pg_stat_database where datname = current_database()) as transactions,
       (select sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 from pg_stat_user_tables) as "rowsWritten"
     from unnest($1::text[]) as name`,
    [tables],
  )
  if (row === undefined) throw new Error("Postgres returned no sizes")
  return { ...row, topicBytes: await readTopicBytes(it.kafkaData) }
}

async function readTopicBytes(data: string): Promise<Record<string, number>> {
  const bytes: Record<string, number> = {}
  for (const partition of await readdir(data)) {
    const topic = /^(.+)-\d+$/.exec(partition)?.[1]
    if (topic === undefined) continue
    for (const file of await readdir(join(data, partition)))
      if (file.endsWith(".log"))
        bytes[topic] = (bytes[topic] ?? 0) + (await stat(join(data, partition, file))).size
  }
  return bytes
}
