import { fork } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { openPool, type Sql } from "@sitewire/database"
import { addChannel, type Checkout } from "@sitewire/testkit/installation"
import { startLab } from "../shared/startLab.ts"

export const channelSecret = "a secret of the bench"

export type BenchOptions = {
  progress: (line: string) => void
  /** How many deliveries the part `retained` stores before it measures. */
  retained: number
}

/** The services of `checkout` with their own Postgres and Kafka, whose CPU time is read. */
export async function startBench(
  checkout: Checkout,
  options: BenchOptions,
  retryDelaysMs?: readonly number[],
) {
  const { progress } = options
  const env = { LOG_LEVEL: "warn" }
  const settings = { name: "bench", progress, retryDelaysMs, env, checkout }
  const lab = await startLab(settings)
  const { sealingKeys, databaseUrl } = lab

  function database(url: string, sql: Sql) {
    const channel = (id: string, address: string) =>
      addChannel({ sql, sealingKeys }, { id, address, secret: channelSecret })
    /** Adds bench-0, bench-1, … */
    async function channels(count: number, addressOf: (at: number) => string): Promise<string[]> {
      const ids = Array.from({ length: count }, (_, at) => `bench-${at}`)
      for (const [at, id] of ids.entries()) await channel(id, addressOf(at))
      return ids
    }
    return { url, sql, channel, channels }
  }

  await reuseLogSegments(lab.sql).catch(async (error: unknown) => {
    await lab.close()
    throw error
  })
  return {
    ...lab,
    ...options,
    ...database(databaseUrl, lab.sql),
    /** Whose services run. */
    checkout,
    async secondDatabase(name: string) {
      await lab.sql(`create database ${name}`)
      const { href: url } = Object.assign(new URL(databaseUrl), { pathname: name })
      await lab.setUp({ DATABASE_URL: url })
      return database(url, openPool({ url, size: 2, name: "bench" }).sql)
    },
    /** Returns the paths of the connections' trigger URLs, which contain the tokens. */
    async addBenchConnections(count: number) {
      const { sql } = lab
      const ids = Array.from({ length: count }, (_, at) => `bench-${at}`)
      const tokens = await lab.addConnections(
        ids.map((id) => ({ id, source: `https://partner.example/${id}` })),
      )
      await sql("insert into sync_window (connection_id) select unnest($1::text[]) on conflict do nothing", [
        ids,
      ])
      await sql("vacuum analyze connection")
      return ids.map((id, at) => `/connectors/hook/${id}/${tokens[at]}/`)
    },
    /** Vacuums now, so that no autovacuum runs during the measurement. */
    async vacuum(...tables: string[]): Promise<void> {
      for (const table of tables) await lab.sql(`vacuum (analyze) ${table}`)
      await lab.sql("checkpoint")
    },
  }
}

export type Bench = Awaited<ReturnType<typeof startBench>>
export type Database = Awaited<ReturnType<Bench["secondDatabase"]>>

/**
 * Creates 28 segments of the write-ahead log in advance, more than any part writes, for Postgres to reuse. A newly started
 * Postgres has none: at 845 deliveries/s, all commits would wait 60 ms every 15 s, while Postgres creates a segment.
 */
async function reuseLogSegments(sql: Sql): Promise<void> {
  for (let made = 0; made < 28; made++) {
    await sql("select pg_logical_emit_message(false, 'bench', 'so that there is something to switch from')")
    await sql("select pg_switch_wal()")
  }
  // Checkpoints make the segments that are full reusable.
  await sql("checkpoint")
  await sql("checkpoint")
}

/** Where a checkout has the arguments with which it starts Node. */
const nodeArgumentsFile = "development/testkit/src/installation/process/nodeArguments.ts"

/** How to start the services of the checkout in `folder`, so that one bench can measure two versions. */
export async function readCheckout(folder: string): Promise<Checkout> {
  const root = resolve(folder)
  const file = join(root, nodeArgumentsFile)
  if (!existsSync(file))
    throw new Error(`${root} is not a checkout of Sitewire: it has no ${nodeArgumentsFile}`)
  const { nodeArguments, nodeEnvironment } = (await import(pathToFileURL(file).href)) as Checkout
  return { root, nodeArguments, nodeEnvironment }
}

/** Runs a baseline or a load generator, with Node's default arguments, and returns the result that it sends. */
export async function runForResult<Result>(
  file: string,
  args: readonly (string | number)[],
  message?: object,
): Promise<Result> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args.map(String))
  if (message) child.send(message)
  const [received] = await once(child, "message")
  return (received as { result: Result }).result
}
