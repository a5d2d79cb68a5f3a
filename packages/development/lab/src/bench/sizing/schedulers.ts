import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { ConnectorTriggered } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import type { BenchOptions } from "../benchOptions.ts"
import { addBenchConnections } from "../inbound/addBenchConnections.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import type { Measure } from "../measure/measure.ts"
import { figure } from "./figures.ts"
import { withReplicas } from "./withReplicas.ts"

/** The share of a core that each scheduler has, so that what they share has enough of two cores. */
const share = 0.3
const connections = 4_000
const hosts = 100
const seconds = 15
/** For each scheduler, until V8 has compiled the code. */
const warmUp = 10_000
/** Each connection is due every second, so there is always more to do than three schedulers can. */
const variables = {
  ...{ SYNC_WINDOW: "1s", SYNC_SETTLE: "100ms", SYNC_DEADLINE: "900ms", SYNC_MAX_PER_HOST: "64" },
}

/** How many syncs a second, each with a fetch of a kilobyte, one, two and three schedulers make. */
export async function sizeSchedulers(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  let fetched = 0
  const source = createServer((_, response) => {
    fetched += 1
    response.end("x".repeat(1_024))
  })
  await new Promise<void>((resolve) => source.listen(0, "0.0.0.0", resolve))
  try {
    const { port } = source.address() as AddressInfo
    await addBenchConnections(it, connections)
    await it.sql(
      `update connection set source = 'http://127.0.0.' || (1 + abs(hashtext(id)) % $2::int) || ':' || $1::text || '/' || id`,
      [port, hosts],
    )
    const measures: Measure[] = []
    for (const count of [1, 2, 3]) {
      let offered = 0
      const start = () => it.start("scheduler", variables)
      const [from, to] = await withReplicas(count, start, async (limit) => {
        const load = startLoad(it)
        try {
          const warm = fetched + count * warmUp
          await waitUntil("the warm-up", () => fetched >= warm, 120_000)
          await limit(share)
          await sleep(2_000)
          const from = new Date()
          await sleep(seconds * 1_000)
          return [from, new Date()] as const
        } finally {
          offered = await load.end()
        }
      })
      // The schedulers have ended, so what they finished is recorded.
      const rate = (1_000 * (await countSyncs(it, from, to))) / (to.getTime() - from.getTime())
      const of = `${count} ${count === 1 ? "scheduler" : "schedulers"} with ${share} of a core each`
      progress(`${of}: ${Math.round(rate)} syncs/s, ${Math.round(offered)} triggers/s offered`)
      measures.push(figure(`syncs a second, ${of}`, rate))
    }
    return measures
  } finally {
    source.closeAllConnections()
    source.close()
  }
}

async function countSyncs({ sql }: Installation, from: Date, to: Date): Promise<number> {
  const [row] = await sql<{ count: number }>(
    `select count(*)::int from sync_run
      where outcome in ('changed', 'unchanged') and finished_at >= $1 and finished_at < $2`,
    [from, to],
  )
  return row?.count ?? 0
}

/** Triggers each connection once a second, at fixed times. */
function startLoad(it: Installation) {
  let ending = false
  async function run(): Promise<number> {
    const startedAt = performance.now()
    for (let rounds = 1; ; rounds++) {
      await triggerAll(it)
      await sleep(Math.max(0, startedAt + rounds * 1_000 - performance.now()))
      if (ending) return (1_000 * rounds * connections) / (performance.now() - startedAt)
    }
  }
  const offered = run()
  // `end` reports the error.
  offered.catch(() => {})
  return {
    /** Resolves with the triggers that were offered in a second. */
    end() {
      ending = true
      return offered
    },
  }
}

async function triggerAll(it: Installation): Promise<void> {
  const at = new Date().toISOString()
  const records = Array.from({ length: connections }, (_, index) => {
    const connection = `bench-${index}`
    const value: ConnectorTriggered = {
      ...{ connection, first_at: at, last_at: at, count: 1, correlation: `c-${index}` },
    }
    return { topic: it.names.connectorTriggered, key: connection, value: JSON.stringify(value) }
  })
  await it.publish(records)
}
