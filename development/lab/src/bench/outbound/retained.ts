import type { Measure } from "../measure.ts"
import { measureInPairs, type Side } from "../measureInPairs.ts"
import type { Bench, Database } from "../startBench.ts"
import { meanCost, totalOf } from "./cost.ts"
import { fillDeliveries } from "./fillDeliveries.ts"
import { deliverBacklog, startReceiving } from "./load.ts"

/** Those of five minutes at 1,000 a second: what Postgres stores from one checkpoint to the next (`checkpoint_timeout`). */
const amount = 300_000
const channelCount = 100

/**
 * Measures the CPU time of an event while many deliveries are retained, relative to an empty table. Two
 * databases of one Postgres are measured alternately, with its settings of docs/operators/sizing.md. What is measured begins
 * with a checkpoint, and ends before the next.
 */
export async function measureRetained(it: Bench): Promise<Measure[]> {
  const { progress, retained } = it
  const receiver = await startReceiving(it)
  const address = (at: number) => `${receiver.url}/channel-${at}`
  const databases: Record<Side, Database> = { value: await it.secondDatabase("retained"), baseline: it }
  const channels = await databases.baseline.channels(channelCount, address)
  await databases.value.channels(channelCount, address)
  await fillDeliveries(databases.value.url, retained, channelCount, progress)
  const buffersMb = Math.max(1_000, (100 * retained) / 1_000_000)
  for (const setting of ["max_wal_size = '4GB'", `shared_buffers = '${buffersMb}MB'`])
    await it.sql(`alter system set ${setting}`)
  await it.servers.postgres.halt()
  await it.servers.postgres.resume()

  const run = async (side: Side) => {
    const database = databases[side]
    progress(side === "value" ? `with ${retained} retained:` : "with an empty table:")
    if (side === "baseline") await database.sql("truncate delivery, waiting_delivery, known_event, attempt")
    let log = await readLog(it)
    const onWarm = async () => {
      await database.sql("checkpoint")
      log = await readLog(it)
    }
    const round = await deliverBacklog(it, receiver, { amount, channels, database, onWarm })
    const after = await readLog(it)
    const [bytes, pages] = [after.bytes - log.bytes, after.pages - log.pages].map((sum) => sum / round.count)
    progress(`write-ahead log: ${bytes?.toFixed(0)} bytes, ${pages?.toFixed(2)} whole pages each`)
    return [round]
  }

  const measure = await measureInPairs({
    measure: `CPU per event with ${retained} deliveries retained, relative to an empty table, ms`,
    bound: 1.1,
    pairs: { least: 3, most: 8 },
    run,
    statistic: (of) => totalOf(meanCost(of)),
    progress,
  })
  return [measure]
}

/** What Postgres has written to its log. It logs a whole page at the page's first change after a checkpoint. */
async function readLog({ sql }: Bench): Promise<{ bytes: number; pages: number }> {
  const [row] = await sql<{ bytes: number; pages: number }>(
    "select wal_bytes::float8 as bytes, wal_fpi::float8 as pages from pg_stat_wal",
  )
  return row ?? { bytes: 0, pages: 0 }
}
