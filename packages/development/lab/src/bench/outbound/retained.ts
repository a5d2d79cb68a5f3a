import type { Measure } from "../measure.ts"
import { measureInPairs, type Side } from "../measureInPairs.ts"
import type { Bench, Database } from "../startBench.ts"
import { type Cost, describeCost, meanCost, totalOf } from "./cost.ts"
import { fillDeliveries } from "./fillDeliveries.ts"
import { deliverBacklog, startReceiving, warmUp } from "./load.ts"

const amount = 50_000
const channelCount = 100

type Round = { count: number; cost: Cost }

/**
 * Measures the CPU time of an event while many deliveries are retained, relative to an empty table. Two
 * databases of one Postgres are measured alternately. Each turn begins with a checkpoint, so that it does not
 * write pages that another turn changed.
 */
export async function measureRetained(it: Bench): Promise<Measure[]> {
  const { progress, retained: wanted } = it
  const retained = wanted ?? 5_000_000
  const receiver = await startReceiving(it)
  const address = (at: number) => `${receiver.url}/channel-${at}`
  const databases: Record<Side, Database> = { value: await it.secondDatabase("retained"), baseline: it }
  const channels = await databases.baseline.channels(channelCount, address)
  await databases.value.channels(channelCount, address)
  await fillDeliveries(databases.value.url, retained, channelCount, progress)
  const rounds: Record<Side, Round[]> = { value: [], baseline: [] }

  const run = async (side: Side): Promise<Round[]> => {
    const database = databases[side]
    progress(side === "value" ? `with ${retained} retained:` : "with an empty table:")
    if (side === "baseline") await database.sql("truncate delivery, waiting_delivery, known_event, attempt")
    await database.sql("checkpoint")
    const log = await readLog(it)
    const round = await deliverBacklog(it, receiver, { amount, channels, database, end: true })
    const after = await readLog(it)
    const each = (of: "bytes" | "pages") => (after[of] - log[of]) / (amount + warmUp)
    progress(
      `write-ahead log: ${each("bytes").toFixed(0)} bytes, ${each("pages").toFixed(2)} whole pages each`,
    )
    rounds[side].push(round)
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
  const [full, empty] = [rounds.value, rounds.baseline].map((of) => describeCost(meanCost(of)))
  return [{ ...measure, details: `${full}; with an empty table ${empty}` }]
}

/** What Postgres has written to its log. It logs a whole page at the page's first change after a checkpoint. */
async function readLog({ sql }: Bench): Promise<{ bytes: number; pages: number }> {
  const [row] = await sql<{ bytes: number; pages: number }>(
    "select wal_bytes::float8 as bytes, wal_fpi::float8 as pages from pg_stat_wal",
  )
  return row ?? { bytes: 0, pages: 0 }
}
