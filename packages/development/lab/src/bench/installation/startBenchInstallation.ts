import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openPool, type Pool, type Sql } from "@sitewire/database"
import { startOwnBackingServices } from "@sitewire/testkit/backing"
import {
  addChannel,
  type Checkout,
  type StartedProcess,
  startInstallation,
  startProcess,
} from "@sitewire/testkit/installation"
import { cpuMs } from "../machine/processUsage.ts"
import { channelSecret } from "./channelSecret.ts"
import { reuseLogSegments } from "./reuseLogSegments.ts"

const stateFolder = fileURLToPath(new URL("../../../../../../.sitewire", import.meta.url))

/**
 * Starts the services of `checkout` with their own Postgres and Kafka. These two are processes of this
 * machine, not containers, because their CPU time is read.
 */
export async function startBenchInstallation({
  checkout,
  progress,
  retryDelaysMs,
}: {
  checkout: Checkout
  progress: (line: string) => void
  retryDelaysMs?: readonly number[] | undefined
}) {
  const backing = await startOwnBackingServices({
    ...{ parent: stateFolder, name: "bench", jars: join(stateFolder, "jars"), withoutDocker: true, progress },
  })
  const { databaseUrl, brokers, postgres, kafka } = backing
  const it = await startInstallation({
    backing: { databaseUrl, brokers, topicPrefix: "", replication: 1, stop: () => backing.stop() },
    ...(retryDelaysMs && { retryDelaysMs }),
    env: { LOG_LEVEL: "warn" },
    checkout,
  })
  const helpers: StartedProcess[] = []
  const pools: Pool[] = []
  const { sealingKeys } = it

  async function stop(): Promise<void> {
    await Promise.all(helpers.map((helper) => helper.end("SIGKILL")))
    await Promise.all(pools.map((pool) => pool.close()))
    await it.stop()
  }

  function database(url: string, sql: Sql) {
    const channel = (id: string, address: string) =>
      addChannel({ sql, sealingKeys }, { id, address, secret: channelSecret })
    return {
      url,
      sql,
      channel,
      async channels(count: number, addressOf: (at: number) => string): Promise<string[]> {
        const ids = Array.from({ length: count }, (_, at) => `bench-${at}`)
        for (const [at, id] of ids.entries()) await channel(id, addressOf(at))
        return ids
      },
    }
  }

  try {
    await reuseLogSegments(it.sql)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    ...database(databaseUrl, it.sql),
    async secondDatabase(name: string) {
      await it.sql(`create database ${name}`)
      const url = new URL(databaseUrl)
      url.pathname = name
      await it.setUp({ DATABASE_URL: url.href })
      const pool = openPool({ url: url.href, size: 2, name: "bench" })
      pools.push(pool)
      return database(url.href, pool.sql)
    },
    /** Whose services run. */
    checkout,
    /** For data that a part stores itself. */
    installation: it,
    names: it.names,
    brokers,
    kafka: it.kafka,
    /** The folder of the broker's logs. */
    kafkaData: join(backing.directory, "kafka", "data"),
    addConnections: it.addConnections,
    publish: it.publish,
    cpuOf: ({ pid }: { pid: number }) => ({
      dispatcher: cpuMs(pid),
      postgres: cpuMs(postgres.pid ?? 0),
      broker: cpuMs(kafka[0]?.pid ?? 0),
    }),
    async helper(main: string, env: Record<string, string> = {}): Promise<StartedProcess> {
      const started = await startProcess(main, env)
      helpers.push(started)
      return started
    },
    start: it.start,
    variables: it.variables,
    startFile: it.startFile,
    stop,
  }
}

export type Installation = Awaited<ReturnType<typeof startBenchInstallation>>
export type Database = Awaited<ReturnType<Installation["secondDatabase"]>>
