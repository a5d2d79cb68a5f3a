import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import type { BenchOptions } from "../benchOptions.ts"
import { addBenchConnections } from "../inbound/addBenchConnections.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import type { Measure } from "../measure/measure.ts"
import { figure } from "./figures.ts"
import { readUsage } from "./readUsage.ts"

const connections = 2_000
const atOnce = 50
const tables = ["sync_window", "sync_run", "snapshot", "snapshot_chunk"]

/**
 * What one sync costs in Postgres, and a trigger on its topic: each of 2,000 connections is triggered twice, and fetches
 * the same kilobyte each time.
 */
export async function sizeSyncs(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const source = createServer((_, response) => void response.end("x".repeat(1_024)))
  await new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve))
  const paths = await addBenchConnections(it, connections)
  await it.sql("update connection set source = $1 || id", [
    `http://127.0.0.1:${(source.address() as AddressInfo).port}/`,
  ])
  const gateway = await it.start("gateway")
  const variables = {
    SYNC_WINDOW: "1s",
    SYNC_SETTLE: "100ms",
    SYNC_DEADLINE: "900ms",
    SYNC_MAX_PER_HOST: "64",
  }
  const scheduler = await it.start("scheduler", variables)
  const round = async () => {
    for (let from = 0; from < paths.length; from += atOnce) {
      const calls = paths.slice(from, from + atOnce).map(async (path) => {
        const response = await fetch(`${gateway.addresses.gateway}${path}`, { method: "POST" })
        await response.arrayBuffer()
        if (response.status !== 202) throw new Error(`a trigger got the response ${response.status}`)
      })
      await Promise.all(calls)
    }
    const isCovered = async () =>
      (await it.sql("select 1 from sync_window where requested > covered limit 1")).length === 0
    await waitUntil("every trigger to be covered", isCovered, 120_000)
    await sleep(2_000)
  }
  const start = await readUsage(it, tables)
  await round()
  progress("the first syncs are done")
  const middle = await readUsage(it, tables)
  await round()
  const end = await readUsage(it, tables)
  const [row] = await it.sql<{ count: number }>(
    "select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  )
  await Promise.all([gateway.end(), scheduler.end()])
  source.closeAllConnections()
  source.close()
  const { connectorTriggered } = it.names
  const topic = (end.topicBytes[connectorTriggered] ?? 0) - (start.topicBytes[connectorTriggered] ?? 0)
  const bytes = (usage: typeof start) => usage.tableBytes + usage.indexBytes
  return [
    figure(
      "bytes of a connection with its first sync and 1 kB of content",
      (bytes(middle) - bytes(start)) / connections,
    ),
    figure("bytes of each further sync without a change", (bytes(end) - bytes(middle)) / connections),
    figure(
      "bytes of write-ahead log for a trigger and its sync",
      (end.logBytes - middle.logBytes) / connections,
    ),
    figure("rows written for a trigger and its sync", (end.rowsWritten - middle.rowsWritten) / connections),
    figure("bytes of a trigger in connector.triggered, for each copy", topic / (2 * connections)),
    figure("connections to Postgres: a gateway, a scheduler and the bench", row?.count ?? 0),
  ]
}
