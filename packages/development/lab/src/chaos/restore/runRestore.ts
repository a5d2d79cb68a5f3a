import { setTimeout as sleep } from "node:timers/promises"
import { groupLag } from "@sitewire/kafka"
import { waitUntil } from "@sitewire/testkit"
import type { Fault } from "../faults/driveFaults.ts"
import { groups } from "../groups.ts"
import { readGets, readSyncs } from "../inbound/readInbound.ts"
import { schedulerVariables, windowMs } from "../inbound/serviceVariables.ts"
import { addRepeatedConnections, addSingleUse, triggerAtRandom } from "../inbound/trigger.ts"
import { addChannels, channelSecret } from "../outbound/channels.ts"
import { makeDispatcher } from "../outbound/dispatchers.ts"
import type { Evidence as Outbound, PublishedEvent } from "../outbound/evidence/evidence.ts"
import {
  isOutboundQuiet,
  readDeliveries,
  readRequests,
  readUncommitted,
} from "../outbound/evidence/readOutbound.ts"
import { publishEvents } from "../outbound/load/publishEvents.ts"
import { retryTopics } from "../outbound/outboundFaults.ts"
import { createRandom } from "../random.ts"
import { reportProgress } from "../report/reportProgress.ts"
import { endWhenQuiet, runOnInstallation } from "../runOnInstallation.ts"
import type { RunSettings } from "../settings.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"
import { backMs, followRunbook } from "./followRunbook.ts"
import { copyPostgres } from "./postgresCopy.ts"
import { type RestoreLedger, reconcile } from "./reconcile.ts"

const schedule = { delaysMs: [1_000, 3_000, 9_000] }
const connectionCount = 100
const perSecond = 25

/**
 * Kills Postgres under load of both flows and restores it to a copy that is seconds old, as the runbook says.
 * Then does the same again, but loses the retry topics too.
 */
export function runRestore(settings: RunSettings): Promise<{ ledger: RestoreLedger; faults: Fault[] }> {
  const { seed, durationMs, progress } = settings
  const { delaysMs: retryDelaysMs } = schedule
  const options = { ...settings, retryDelaysMs, withoutDocker: true }
  return runOnInstallation(options, async ({ it, random, faults }) => {
    const [receiver, source] = await Promise.all([
      it.helper("packages/development/lab/src/chaos/outbound/load/partners.ts", {
        CHAOS_SECRET: channelSecret,
        CHAOS_SEED: String(seed),
      }),
      it.helper("packages/development/lab/src/chaos/inbound/sources.ts", { CHAOS_SEED: String(seed) }),
    ])
    const partners = receiver.addresses.healthy ?? ""
    const sources = source.addresses.source ?? ""
    await addChannels(it, receiver.addresses)
    const connections = await addRepeatedConnections(it, connectionCount, sources)
    const singleUse = await addSingleUse(it, Math.ceil(durationMs / 40), sources)
    const gateways = [1, 2].map((at) => it.service(`gateway-${at}`, "gateway"))
    const schedulers = [1, 2].map((at) =>
      it.service(`scheduler-${at}`, "scheduler", () => schedulerVariables),
    )
    const dispatchers = [1, 2].map((at) => makeDispatcher(it, `dispatcher-${at}`, schedule))
    const others = [...gateways, ...dispatchers]
    const services = [...schedulers, ...others]
    await Promise.all(services.map((service) => service.start()))
    progress("2 dispatchers, 2 gateways and 2 schedulers are up; both flows are under load")

    let over = false
    const isOver = () => over
    const published: PublishedEvent[] = []
    const stopReporting = reportProgress({ it, published, progress })
    const publishing = publishEvents({
      ...{ it, published, isOver, random: createRandom(seed + 1), perSecond },
      atMost: Number.POSITIVE_INFINITY,
    })
    const calling = triggerAtRandom({
      ...{ connections, singleUse, gateways, clients: 8, restMs: [50, 400], isOver },
      random: createRandom(seed + 2),
    })
    // Five periods of load: before and after each of the two copies, and at the end.
    const load = () => sleep((durationMs / 5) * (0.5 + random.next()))
    for (const lostTopics of [[], retryTopics(schedule)]) {
      await load()
      await waitUntil("both groups to be up to date", () => isUpToDate(it), settings.quietMs)
      const copy = await copyPostgres(it)
      progress(`Postgres is copied; ${published.length} events are published so far`)
      await load()
      const beganAt = Date.now()
      await it.postgres.halt("kill")
      await followRunbook({ it, schedulers, others, windowMs, copy, retryDelaysMs, lostTopics })
      const endedAt = Date.now()
      const old = `copy ${((beganAt - copy.takenAt) / 1_000).toFixed(1)} s old`
      const target = lostTopics.length > 0 ? `${old}, retry topics lost` : old
      faults.push({ kind: "Postgres restored", target, beganAt, endedAt })
      progress(
        `Postgres is restored: ${target}; without service for ${((endedAt - beganAt) / 1_000).toFixed(1)} s`,
      )
    }
    await load()
    over = true
    const [calls] = await Promise.all([calling, publishing])
    progress(`${published.length} events are published and ${calls.length} calls made; waiting for quiet`)
    await Promise.all([partners, sources].map((url) => fetch(`${url}/heal`, { method: "POST" })))

    const consumed = retryTopics(schedule)
    const read = async (uncommittedKeys: Outbound["uncommittedKeys"]) =>
      reconcile({
        outbound: {
          ...{ published, uncommittedKeys },
          deliveries: await readDeliveries(it),
          requests: await readRequests(partners),
        },
        inbound: {
          ...{ calls, windowMs },
          gets: await readGets(sources),
          ...(await readSyncs(it)),
        },
      })
    const isQuiet = async () => {
      if (!(await isOutboundQuiet(it, published.length, consumed))) return false
      const { forgotten, waiting } = await read({ events: [], deliveries: [] })
      return forgotten.length + waiting.length === 0
    }
    await endWhenQuiet(services, isQuiet, settings)
    stopReporting()
    return read(await readUncommitted(it, consumed))
  })
}

/**
 * Whether the groups' lag is less than half of the events of the last `backMs`, the time by which the runbook
 * rewinds before the copy. With a longer lag, an event from before that time might be consumed only after the
 * copy. The rewind would not reach it, so it would be lost.
 */
async function isUpToDate({ kafka, names }: ChaosInstallation): Promise<boolean> {
  const lags = await Promise.all([
    groupLag(kafka, groups.paid, [names.sitePaid]),
    groupLag(kafka, groups.triggers, [names.connectorTriggered]),
  ])
  return lags.flat().reduce((sum, { lag }) => sum + lag, 0) < (perSecond * backMs) / 2_000
}
