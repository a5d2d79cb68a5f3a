import type { BenchOptions } from "../benchOptions.ts"
import type { Database, Installation } from "../installation/startBenchInstallation.ts"
import type { Measure } from "../measure/measure.ts"
import { measureInPairs, type Side } from "../measure/measureInPairs.ts"
import { type Cost, describeCost, totalOf } from "./cost.ts"
import { deliverBacklog, warmUp } from "./load/deliverBacklog.ts"
import { fillDeliveries } from "./load/fillDeliveries.ts"
import { startReceiving } from "./receiver/startBenchReceiver.ts"

const amount = 50_000
const channelCount = 100

type Round = { count: number; cost: Cost }

/**
 * Measures the CPU time of an event while many deliveries are retained, relative to an empty table. Two
 * databases of one Postgres are measured alternately. Each turn begins with a checkpoint, so that it does not
 * write pages that another turn changed.
 */
export async function measureRetained(
  it: Installation,
  { progress, retained }: BenchOptions,
): Promise<Measure[]> {
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
    if (side === "baseline") await database.sql("truncate delivery, attempt")
    await database.sql("checkpoint")
    const log = await logOf(it)
    const backlog = { amount, channels, progress, database }
    const { dispatcher, count, cost } = await deliverBacklog(it, receiver, backlog)
    await dispatcher.end()
    const after = await logOf(it)
    const each = (of: "bytes" | "pages") => (after[of] - log[of]) / (amount + warmUp)
    progress(
      `write-ahead log: ${each("bytes").toFixed(0)} bytes and ${each("pages").toFixed(2)} whole pages each`,
    )
    rounds[side].push({ count, cost })
    return [{ count, cost }]
  }

  const measure = await measureInPairs({
    measure: `CPU per event with ${retained} deliveries retained, relative to an empty table, ms`,
    bound: 1.15,
    pairs: { least: 3, most: 6 },
    run,
    statistic: (of) => totalOf(meanCost(of)),
    progress,
  })
  const details = (["value", "baseline"] as const).map((side) => describeCost(meanCost(rounds[side]), "ms"))
  await receiver.end()
  return [{ ...measure, details: `${details[0]}; with an empty table ${details[1]}` }]
}

function meanCost(rounds: readonly Round[]): Cost {
  const counted = rounds.reduce((sum, { count }) => sum + count, 0)
  const mean = (of: keyof Cost) =>
    rounds.reduce((sum, { count, cost }) => sum + count * cost[of], 0) / counted
  return { dispatcher: mean("dispatcher"), postgres: mean("postgres"), broker: mean("broker") }
}

/**
 * Reads how much Postgres has written to its write-ahead log. `pages` counts whole pages: Postgres logs a
 * whole page at its first change after a checkpoint.
 */
async function logOf({ sql }: Pick<Database, "sql">): Promise<{ bytes: number; pages: number }> {
  const [row] = await sql<{ bytes: number; pages: number }>(
    "select wal_bytes::float8 as bytes, wal_fpi::float8 as pages from pg_stat_wal",
  )
  if (!row) throw new Error("pg_stat_wal has no row")
  return row
}
