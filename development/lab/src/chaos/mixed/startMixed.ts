import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { waitUntil } from "@sitewire/testkit"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import { openJournal } from "../../shared/openJournal.ts"
import { createRandom } from "../../shared/random.ts"
import type { Lab } from "../../shared/startLab.ts"
import { addChannels, addConnections, callTriggers, publishEvents, startPartners } from "../load/load.ts"
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
/** A run with fewer shows little, so the load goes on until there are that many. */
const least = { events: 500, calls: 100 }

/** What the load did: `events` that Kafka acknowledged, or a call of a trigger; null if no gateway was there. */
type Entry = { events: number } | { call: { connection: string; sentAt: number; status: number } | null }

/** Loads both flows of an installation whose services run, with partners that count what arrives. */
export async function startMixed(settings: {
  it: Pick<Lab, "sql" | "names" | "helper" | "publish" | "addChannel" | "addConnections">
  seed: number
  gateways: () => SupervisedProcess[]
  topic?: () => string
  rates?: { events: number; calls: number }
  connections?: number
  singles?: number
  singleShare?: number
  /** So many channels' deliveries fail half of the time. */
  flakyChannels?: number
  windowMs?: number
  /**
   * A folder of what was published, accepted and received. A load on the same installation continues what it has. Events that were
   * published but are not in it, because the load was killed, are published again.
   */
  ledgerFolder?: string | undefined
  progress: (line: string) => void
}) {
  const { it, seed, gateways, progress, flakyChannels = 5, rates = { events: 100, calls: 50 } } = settings
  const random = createRandom(seed + 1)
  const journalOf = (name: string) => settings.ledgerFolder && join(settings.ledgerFolder, name)
  const { addresses } = await startPartners(it, seed, { journal: journalOf("partners.jsonl") })
  const source = addresses.source ?? ""
  await addChannels(it, addresses, channels, (at) => (at < flakyChannels ? "flaky" : "healthy"))
  // Those of an earlier load, which may have triggers that no sync covers yet.
  await it.sql("update connection set source = regexp_replace(source, '^http://[^/]+', $1)", [source])
  const sourceOf = () => `${source}/source/steady`
  const connections = await addConnections(it, "connection", settings.connections ?? 200, sourceOf)
  const singles = await addConnections(it, `single-${Date.now()}`, settings.singles ?? 1_000, sourceOf)

  let over = false
  let published = 0
  let withoutGateway = 0
  const statuses: Record<number, number> = {}
  const accepted = new Map<string, number>()
  const record = await openJournal<Entry>(journalOf("load.jsonl"), (entry) => {
    if ("events" in entry) published += entry.events
    else if (entry.call === null) withoutGateway += 1
    else {
      const { connection, status, sentAt } = entry.call
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 202) accepted.set(connection, Math.max(sentAt, accepted.get(connection) ?? 0))
    }
  })
  const running = Promise.all([
    publishEvents({
      it,
      perSecond: rates.events,
      isOver: () => over,
      topic: settings.topic ?? (() => it.names.sitePaid),
      pickChannel: () => `channel-${random.between(0, channels - 1)}`,
      first: published,
      onPublished: (events) => record({ events: events.length }),
    }),
    callTriggers({
      gateways,
      perSecond: rates.calls,
      isOver: () => over,
      connections,
      singles,
      singleShare: settings.singleShare ?? 0.02,
      random,
      onCall(call) {
        if (call === null) return record({ call })
        const { connection, sentAt, status } = call
        record({ call: { connection, sentAt, status } })
      },
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
            + (select count(*) from sync_window where requested > covered)::int as unfinished,
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
      withoutGateway,
      accepted,
      synced: new Map(syncs.map(({ id, at }) => [id, at])),
      partners: await readState(source, published),
      unfinished: row?.unfinished ?? 0,
      shortestGapMs: row?.shortestGapMs ?? null,
      windowMs: settings.windowMs ?? windowMs,
    })
  }

  return {
    /** Loads go on until the promise is settled, or reject if they cannot. */
    during: <T>(work: Promise<T>): Promise<T> => Promise.race([work, failed]),
    published: () => published,
    accepted: () => statuses[202] ?? 0,
    p99Ms: async () => (await readState(source, 0)).p99Ms,
    /** All partners and sources respond well, or none. */
    behave: (how: "heal" | "break") => fetch(`${source}/${how}`, { method: "POST" }),
    stop,
    /** Ends the load, waits until all work is done, and compares what was accepted with what arrived. */
    async finish(quietMs: number): Promise<MixedLedger> {
      const isEnough = () => published >= least.events && (statuses[202] ?? 0) >= least.calls
      await Promise.race([waitUntil("enough load", isEnough, quietMs), failed])
      await stop()
      await fetch(`${source}/heal`, { method: "POST" })
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
