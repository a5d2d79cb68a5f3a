import { setTimeout as sleep } from "node:timers/promises"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import type { Measure } from "../measure/measure.ts"
import { totalOf } from "../outbound/cost.ts"
import { deliverBacklog, warmUp } from "../outbound/load/deliverBacklog.ts"
import { startReceiving } from "../outbound/receiver/startBenchReceiver.ts"
import { figure } from "./figures.ts"
import { readUsage } from "./readUsage.ts"

const amount = 30_000
const tables = ["delivery", "attempt"]

/** What one delivery that succeeds at the first attempt costs in CPU time, in Postgres and on its topic. */
export async function sizeDeliveries(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(100, (at) => `${receiver.url}/channel-${at}`)
  const before = await readUsage(it, tables)
  const { dispatcher, perSecond, cost } = await deliverBacklog(it, receiver, { amount, channels, progress })
  const [row] = await it.sql<{ count: number }>(
    "select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  )
  // Postgres adds a transaction to its statistics at most once a second.
  await sleep(2_000)
  const after = await readUsage(it, tables)
  await dispatcher.end()
  await receiver.end()
  const each = (of: "tableBytes" | "indexBytes" | "logBytes" | "transactions" | "rowsWritten") =>
    (after[of] - before[of]) / (amount + warmUp)
  const { sitePaid } = it.names
  const topic = ((after.topicBytes[sitePaid] ?? 0) - (before.topicBytes[sitePaid] ?? 0)) / (amount + warmUp)
  return [
    figure("deliveries a second from a backlog, one dispatcher", perSecond),
    figure("deliveries a second and core: dispatcher, Postgres and Kafka", 1_000 / totalOf(cost)),
    figure("CPU time of a delivery in the dispatcher, ms", cost.dispatcher),
    figure("CPU time of a delivery in Postgres, ms", cost.postgres),
    figure("CPU time of a delivery in Kafka, ms", cost.broker),
    figure("bytes of a delivery and its attempt in tables", each("tableBytes")),
    figure("bytes of a delivery and its attempt in indexes", each("indexBytes")),
    figure("bytes of write-ahead log for a delivery", each("logBytes")),
    figure("rows written for a delivery", each("rowsWritten")),
    figure("transactions for a delivery, in a backlog", each("transactions")),
    figure("bytes of an event in site.paid, for each copy", topic),
    figure("connections to Postgres: a dispatcher and the bench", row?.count ?? 0),
  ]
}
