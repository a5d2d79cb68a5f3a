import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import { createRandom } from "../../shared/random.ts"
import type { Lab } from "../../shared/startLab.ts"
import {
  addChannels,
  addConnections,
  type Call,
  callTriggers,
  publishEvents,
  startPartners,
} from "../load/load.ts"
import { readState } from "../load/seen.ts"
import { type MixedLedger, reconcile } from "./reconcile.ts"

/** The shortest time between two syncs of a connection: short, so that each has many syncs in a run. */
export const windowMs = 5_000

export const schedulerVariables = {
  SYNC_WINDOW: `${windowMs}ms`,
  SYNC_SETTLE: "500ms",
  SYNC_DEADLINE: "4s",
  SYNC_MAX_PER_HOST: "64",
}

const channels = 50
/** So many channels' deliveries fail half of the time. */
const flakyChannels = 5
const connectionCount = 200
/** Connections that are triggered once, by this share of the calls. */
const singles = { count: 3_000, share: 0.3 }
/** A run with fewer shows little, so the load goes on until there are that many. */
const least = { events: 500, calls: 100 }

/** Loads both flows of an installation whose services run, with partners that count what arrives. */
export async function startMixed(settings: {
  it: Pick<Lab, "sql" | "names" | "helper" | "publish" | "addChannel" | "addConnections">
  seed: number
  gateways: () => SupervisedProcess[]
  topic?: () => string
  rates: { events: number; calls: number }
  progress: (line: string) => void
}) {
  const { it, seed, gateways, progress, rates } = settings
  const random = createRandom(seed + 1)
  const { addresses } = await startPartners(it, seed)
  const source = `${addresses.source}/source`
  await addChannels(it, addresses, channels, (at) => (at < flakyChannels ? "flaky" : "healthy"))
  const kindOf = (at: number) => (at % 10 === 0 ? "failing" : at % 5 === 1 ? "slow" : "steady")
  const connections = await addConnections(
    it,
    "connection",
    connectionCount,
    (at) => `${source}/${kindOf(at)}`,
  )
  const once = await addConnections(it, "single", singles.count, () => `${source}/steady`)

  let over = false
  let published = 0
  let revived = 0
  let withoutGateway = 0
  const statuses: Record<number, number> = {}
  const accepted = new Map<string, number>()
  function record(call: Call | null): void {
    if (call === null) {
      withoutGateway += 1
      return
    }
    const { connection, status, sentAt, token } = call
    if (status === 404 && token !== "valid") return
    if (status === 202 && token === "replaced") revived += 1
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 202) accepted.set(connection, Math.max(sentAt, accepted.get(connection) ?? 0))
  }
  const running = Promise.all([
    publishEvents({
      it,
      perSecond: rates.events,
      isOver: () => over,
      topic: settings.topic ?? (() => it.names.sitePaid),
      pickChannel: () => `channel-${random.between(0, channels - 1)}`,
      onPublished: (events) => {
        published += events.length
      },
    }),
    callTriggers({
      gateways,
      perSecond: rates.calls,
      isOver: () => over,
      connections,
      singles: once,
      singleShare: singles.share,
      random,
      onCall: record,
    }),
  ])
  const failed = new Promise<never>((_, reject) => void running.catch(reject))
  // `stop` rejects with the failure, too.
  failed.catch(() => {})

  async function stop(): Promise<void> {
    over = true
    await running
  }

  async function read(): Promise<MixedLedger> {
    const [row] = await it.sql<{ unfinished: number; shortestGapMs: number | null }>(
      `select $1::int - (select least($1::int, count(*)) from delivery)::int
            + (select count(*) from delivery left join waiting_delivery on delivery_id = id
                where state = 'pending' or delivery_id is not null)::int
            + (select count(*) from sync_window where requested > covered)::int
            + (select count(*) from unpublished_change)::int as unfinished,
          (select (extract(epoch from min(gap)) * 1000)::float8 from (
            select started_at - lag(started_at) over one as gap,
              lag(outcome = 'abandoned' and error <> 'lost') over one as gave_its_window_back
            from sync_run window one as (partition by connection_id order by fence)
          ) as starts where not gave_its_window_back) as "shortestGapMs"`,
      [published],
    )
    const syncs = await it.sql<{ id: string; at: number }>(
      `select connection_id as id, (extract(epoch from max(started_at)) * 1000)::float8 as at
         from sync_run where outcome in ('changed', 'unchanged') group by 1`,
    )
    return reconcile({
      published,
      statuses,
      revived,
      withoutGateway,
      accepted,
      synced: new Map(syncs.map(({ id, at }) => [id, at])),
      partners: await readState(addresses.source, published),
      unfinished: row?.unfinished ?? 0,
      shortestGapMs: row?.shortestGapMs ?? null,
      windowMs,
    })
  }

  return {
    /** Loads go on until the promise is settled, or reject if they cannot. */
    during: <T>(work: Promise<T>): Promise<T> => Promise.race([work, failed]),
    published: () => published,
    accepted: () => statuses[202] ?? 0,
    p99Ms: async () => (await readState(addresses.source, 0)).p99Ms,
    connections,
    stop,
    /** Ends the load, waits until all work is done, and compares what was accepted with what arrived. */
    async finish(quietMs: number): Promise<MixedLedger> {
      const isEnough = () => published >= least.events && (statuses[202] ?? 0) >= least.calls
      await Promise.race([waitUntil("enough load", isEnough, quietMs), failed])
      await stop()
      await fetch(`${addresses.source}/heal`, { method: "POST" })
      progress(`${published} events are published, ${statuses[202]} triggers accepted; waiting for quiet`)
      const endsAt = performance.now() + quietMs
      let ledger = await read()
      while (performance.now() < endsAt && ledger.lost + ledger.forgotten.length + ledger.unfinished > 0) {
        await sleep(1_000)
        ledger = await read()
      }
      return ledger
    },
  }
}
