import { setTimeout as sleep } from "node:timers/promises"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import { createRandom } from "../random.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"
import { readPartners } from "./partnersState.ts"
import { type MixedLedger, reconcile } from "./reconcile.ts"
import { channelSecret, type Load, startLoad } from "./startLoad.ts"

const mixedWindowMs = 5_000

export const mixedSchedulerVariables = {
  SYNC_WINDOW: `${mixedWindowMs}ms`,
  SYNC_SETTLE: "500ms",
  SYNC_DEADLINE: "4s",
  SYNC_MAX_PER_HOST: "64",
}

export type MixedRun = {
  partners: string
  load: Load
  /** Ends the load, waits until all work is done, and compares what was accepted with what arrived. */
  finish(quietMs: number): Promise<MixedLedger>
}

/** Loads both flows of an installation whose services run, with partners that count what arrives. */
export async function startMixedRun(settings: {
  it: ChaosInstallation
  seed: number
  topic?: () => string
  gateways: () => SupervisedProcess[]
  eventsPerSecond: number
  triggersPerSecond: number
  connections: number
  singles?: number
  windowMs?: number
  progress: (line: string) => void
}): Promise<MixedRun> {
  const { it, seed, windowMs = mixedWindowMs, progress } = settings
  const helper = await it.helper("packages/development/lab/src/chaos/mixed/partners.ts", {
    CHAOS_SECRET: channelSecret,
    CHAOS_SEED: String(seed),
  })
  const partners = helper.addresses.partners ?? ""
  const load = await startLoad({
    topic: () => it.names.sitePaid,
    ...settings,
    ...{ partners, random: createRandom(seed + 1) },
  })

  async function read(): Promise<MixedLedger> {
    const [row] = await it.sql<{ unfinished: number; shortest_gap_ms: number | null }>(
      `select (select count(*) from delivery
                where state = 'pending' or deferred_at is not null or next_attempt_at is not null)::int
            + (select count(*) from sync_window where requested > covered)::int as unfinished,
          (select (extract(epoch from min(gap)) * 1000)::float8 from (
            select started_at - lag(started_at) over one as gap,
              lag(outcome = 'abandoned' and error <> 'lost') over one as gave_its_window_back
            from sync_run window one as (partition by connection_id order by fence)
          ) as starts where not gave_its_window_back) as shortest_gap_ms`,
    )
    const state = await readPartners(partners, load.published())
    const { statuses, accepted } = load
    const unfinished = row?.unfinished ?? 0
    return reconcile({
      published: load.published(),
      statuses,
      withoutGateway: load.withoutGateway(),
      accepted,
      partners: state,
      unfinished,
      shortestGapMs: row?.shortest_gap_ms ?? null,
      windowMs,
    })
  }

  async function describeClosest(): Promise<void> {
    const { closest } = await readPartners(partners, 0)
    if (closest === null) return
    const { connection, first, second } = closest
    progress(
      `two GETs of ${connection}: ${new Date(first).toISOString()} and ${new Date(second).toISOString()}`,
    )
    const runs = await it.sql(
      `select fence, outcome, error, started_at, finished_at from sync_run
        where connection_id = $1 and started_at between to_timestamp($2 / 1000.0) - interval '15 s'
          and to_timestamp($3 / 1000.0) + interval '5 s' order by started_at`,
      [connection, first, second],
    )
    for (const run of runs) progress(JSON.stringify(run))
  }

  return {
    partners,
    load,
    async finish(quietMs) {
      await load.stop()
      const { accepted = 0 } = { accepted: load.statuses[202] }
      progress(`${load.published()} events are published, ${accepted} triggers accepted; waiting for quiet`)
      const endsAt = performance.now() + quietMs
      let ledger = await read()
      while (performance.now() < endsAt && ledger.lost + ledger.forgotten.length + ledger.unfinished > 0) {
        await sleep(1_000)
        ledger = await read()
      }
      if ((ledger.shortestRequestGapMs ?? windowMs) < windowMs) await describeClosest()
      return ledger
    },
  }
}
