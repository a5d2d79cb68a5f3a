import { createApiKey } from "@sitewire/console"
import { openPrisma } from "@sitewire/database/prisma"
import { commonFaults } from "../faults/commonFaults.ts"
import { driveFaults, type Fault } from "../faults/driveFaults.ts"
import { createRandom } from "../random.ts"
import { reportProgress } from "../report/reportProgress.ts"
import { endWhenQuiet, runOnInstallation } from "../runOnInstallation.ts"
import type { RunSettings } from "../settings.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"
import { addChannels, channelSecret } from "./channels.ts"
import { makeDispatcher, outstandingPerDispatcher } from "./dispatchers.ts"
import type { Evidence, PublishedEvent } from "./evidence/evidence.ts"
import {
  isOutboundQuiet,
  readAttempts,
  readDeliveries,
  readRequests,
  readUncommitted,
} from "./evidence/readOutbound.ts"
import { readDeferrals, recordDeferrals } from "./evidence/recordDeferrals.ts"
import { consoleCaller } from "./load/callConsole.ts"
import { pauseChannels } from "./load/pauseChannels.ts"
import { publishEvents } from "./load/publishEvents.ts"
import { resendDeliveries } from "./load/resendDeliveries.ts"
import { outboundFaults, type RetrySchedule, retryTopics, schedules } from "./outboundFaults.ts"
import { type OutboundLedger, reconcile } from "./reconcile/reconcile.ts"

const members = 3

export function runOutbound(
  settings: RunSettings & { deliveries: number },
): Promise<{ ledger: OutboundLedger; faults: Fault[] }> {
  const { seed, durationMs, deliveries, progress } = settings
  const schedule: RetrySchedule = { delaysMs: schedules[0] ?? [] }
  const retryDelaysMs = schedule.delaysMs
  return runOnInstallation({ ...settings, retryDelaysMs }, async ({ it, random, faults }) => {
    const receiver = await it.helper("packages/development/lab/src/chaos/outbound/load/partners.ts", {
      CHAOS_SECRET: channelSecret,
      CHAOS_SEED: String(seed),
    })
    const url = receiver.addresses.healthy ?? ""
    await addChannels(it, receiver.addresses)
    await recordDeferrals(it.sql)
    const make = (name: string) => makeDispatcher(it, name, schedule)
    const dispatchers = Array.from({ length: members }, (_, at) => make(`dispatcher-${at + 1}`))
    const management = it.service("console", "console")
    const all = [...dispatchers, management]
    await Promise.all(all.map((member) => member.start()))
    progress(`${members} dispatchers are up; publishing ${deliveries} events while faults happen`)

    const { key } = await createApiKey({ prisma: openPrisma(it.pool), name: "chaos", scopes: ["operate"] })
    const call = consoleCaller(management, key)
    const published: PublishedEvent[] = []
    const endsAt = Date.now() + durationMs
    const isOver = () => Date.now() > endsAt
    const stopReporting = reportProgress({ it, published, progress })
    const publishing = publishEvents({
      ...{ it, published, random: createRandom(seed + 1), perSecond: deliveries / (durationMs / 1_000) },
      ...{ atMost: deliveries, isOver: () => false },
    })
    const pausing = pauseChannels({
      ...{ call, isOver, random: createRandom(seed + 2), everyMs: [500, 2_000], pausedMs: [1_000, 8_000] },
    })
    const resending = resendDeliveries({
      ...{ call, isOver, sql: it.sql, random: createRandom(seed + 3), everyMs: [500, 3_000] },
    })
    const driven = await driveFaults({
      ...{ random, durationMs, progress, gapMs: settings.pace.gapMs },
      faults: {
        ...commonFaults({
          ...{ random, it, services: [dispatchers], extras: [make("dispatcher-extra")] },
          ...settings.pace,
        }),
        ...outboundFaults({ random, it, dispatchers, management, schedule }),
      },
    })
    faults.push(...driven)
    await publishing
    const [paused, accepted] = await Promise.all([pausing, resending])
    progress(
      `${published.length} events are published, ${paused} channels were paused, ${accepted.length} resends accepted; ` +
        "all faults have ended; waiting for quiet",
    )
    await fetch(`${url}/heal`, { method: "POST" })
    await Promise.all(all.map((member) => member.start()))

    const consumed = retryTopics(schedule)
    const isQuiet = async () => {
      const jobs = await readResendJobs(it)
      return (
        jobs.every(({ state }) => state === "done") && (await isOutboundQuiet(it, published.length, consumed))
      )
    }
    await endWhenQuiet(all, isQuiet, settings)
    stopReporting()

    return reconcile({
      ...{ published, accepted, faults, members, outstanding: outstandingPerDispatcher },
      deliveries: await readDeliveries(it),
      attempts: await readAttempts(it),
      deferrals: await readDeferrals(it.sql),
      jobs: await readResendJobs(it),
      requests: await readRequests(url),
      uncommittedKeys: await readUncommitted(it, consumed),
    })
  })
}

function readResendJobs({ sql }: ChaosInstallation): Promise<Evidence["jobs"]> {
  return sql<Evidence["jobs"][number]>(
    `select id as job, state::text, coalesce((counts ->> 'resent')::int, 0) as resent from job
      where kind = 'resend' and filter ->> 'delivery' is null`,
  )
}
