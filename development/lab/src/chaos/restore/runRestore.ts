import { execFile } from "node:child_process"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { topicNames } from "@sitewire/contracts"
import { deleteTopics, groupLag, rewindGroup } from "@sitewire/kafka"
import { waitUntil } from "@sitewire/testkit"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { Fault } from "../faults/driveFaults.ts"
import type { MixedLedger } from "../mixed/reconcile.ts"
import { schedulerVariables, startMixed, windowMs } from "../mixed/startMixed.ts"
import { type ChaosLab, endAll, groups, type RunSettings, runOnLab, shortDelaysMs, startAll } from "../run.ts"

/** `uncommitted`: records that no consumer group has committed, although all is quiet. */
export type RestoreLedger = MixedLedger & { uncommitted: number }

const { retry } = topicNames({ prefix: "", retryDelaysMs: shortDelaysMs })
const rates = { events: 25, calls: 35 }
/**
 * The consumer groups are rewound to this long before the copy was taken (in the runbook, an hour). It must
 * be longer than their lag at that time, and than clocks differ.
 */
const backMs = 10_000

/**
 * Kills Postgres under load of both flows and restores it to a copy that is seconds old, as the runbook says.
 * Then does the same again, but loses the retry topics too. `brief`: one of the two, by the seed, with one process of each service.
 */
export function runRestore(
  settings: RunSettings & { brief?: boolean },
): Promise<{ ledger: RestoreLedger; faults: Fault[] }> {
  const { seed, durationMs, quietMs, progress } = settings
  // Services that stop without Postgres wait that long for work that they cannot record.
  const env = { SHUTDOWN_DEADLINE: "5s" }
  const options = { ...settings, retryDelaysMs: shortDelaysMs, env }
  return runOnLab(options, async ({ it, random, faults }) => {
    const each = settings.brief ? [1] : [1, 2]
    const gateways = each.map((at) => it.service(`gateway-${at}`, "gateway"))
    const schedulers = each.map((at) => it.service(`scheduler-${at}`, "scheduler", () => schedulerVariables))
    const dispatchers = each.map((at) => it.service(`dispatcher-${at}`, "dispatcher", () => ({})))
    const others = [...gateways, ...dispatchers]
    await startAll([...schedulers, ...others])
    const mixed = await startMixed({ it, seed, progress, gateways: () => gateways, rates })
    progress(`${each.length} of each service are up; both flows are under load`)
    // Five periods of load: before and after each of the two copies, and at the end. A brief run has three.
    const load = () => mixed.during(sleep((durationMs / 5) * (0.5 + random.next())))
    const losses = [[], retry]
    for (const lostTopics of settings.brief ? [losses[seed % 2] ?? retry] : losses) {
      await load()
      // With a longer lag, an event might be consumed only after the copy that the rewind would not reach.
      const isUpToDate = async () => (await lagOf(it, [])) < (rates.events * backMs) / 2_000
      await waitUntil("both groups to be up to date", isUpToDate, quietMs)
      const takenAt = Date.now()
      await copyPostgres(it)
      progress(`Postgres is copied; ${mixed.published()} events are published so far`)
      await load()
      const beganAt = Date.now()
      await it.servers.postgres.halt("kill")
      await followRunbook({ it, schedulers, others, takenAt, lostTopics })
      const endedAt = Date.now()
      const old = `copy ${((beganAt - takenAt) / 1_000).toFixed(1)} s old`
      const target = lostTopics.length > 0 ? `${old}, retry topics lost` : old
      faults.push({ kind: "Postgres restored", target, beganAt, endedAt })
      const seconds = ((endedAt - beganAt) / 1_000).toFixed(0)
      progress(`Postgres is restored: ${target}; without service for ${seconds} s`)
    }
    await load()
    const ledger = await mixed.finish(quietMs)
    await endAll([...schedulers, ...others])
    const uncommitted = await lagOf(it, retry)
    const isSpaced = (ledger.shortestRequestGapMs ?? windowMs) >= windowMs
    return { ...ledger, uncommitted, holds: ledger.holds && uncommitted === 0 && isSpaced }
  })
}

async function lagOf({ kafka, names }: ChaosLab, retryTopics: string[]): Promise<number> {
  const lags = [
    ...(await groupLag(kafka, groups.paid, [names.sitePaid])),
    ...(await groupLag(kafka, groups.triggers, [names.connectorTriggered])),
    ...(retryTopics.length > 0 ? await groupLag(kafka, groups.retries, retryTopics) : []),
  ]
  return lags.reduce((sum, { lag }) => sum + Math.max(0, lag), 0)
}

const foldersOf = ({ directory }: ChaosLab) => ({
  data: join(directory, "postgres/data"),
  copy: join(directory, "postgres-copy"),
})
const copy = (from: string, to: string) => promisify(execFile)("cp", ["-a", from, to])

/** Stops Postgres for seconds. The copy has everything that was committed before. */
async function copyPostgres(it: ChaosLab): Promise<void> {
  const folders = foldersOf(it)
  await rm(folders.copy, { recursive: true, force: true })
  await it.servers.postgres.halt("orderly")
  await copy(folders.data, folders.copy).finally(() => it.servers.postgres.resume())
}

/**
 * Follows the numbered steps of "Restoring Postgres to an older copy" in docs/operators/restore.md. Steps 1,
 * 4, 7 and 9 are about erasures and other changes by operators, which a run does not make. `lostTopics` are
 * lost together with Postgres.
 */
async function followRunbook(settings: {
  it: ChaosLab
  schedulers: SupervisedProcess[]
  others: SupervisedProcess[]
  takenAt: number
  lostTopics: string[]
}): Promise<void> {
  const { it, schedulers, others, takenAt, lostTopics } = settings
  const { kafka, names } = it
  // 2. Stop all.
  await endAll([...schedulers, ...others])
  const stoppedAt = Date.now()
  if (lostTopics.length > 0) await deleteTopics(kafka, lostTopics)
  // 3. Restore Postgres.
  const folders = foldersOf(it)
  await rm(folders.data, { recursive: true })
  await copy(folders.copy, folders.data)
  await it.servers.postgres.resume()
  // 5. Run the setup job.
  await it.migrate(shortDelaysMs)
  // 6. Rewind both groups.
  const since = takenAt - backMs
  await Promise.all([
    rewindGroup({ kafka, group: groups.paid, topic: names.sitePaid, since }),
    rewindGroup({ kafka, group: groups.triggers, topic: names.connectorTriggered, since }),
  ])
  // 8. Start all. The schedulers start a window after the stop: the copy does not know the newest syncs, so
  // it would let their connections be synced again too soon.
  const starting = startAll(others)
  await sleep(Math.max(0, stoppedAt + windowMs - Date.now()))
  await Promise.all([starting, startAll(schedulers)])
}
